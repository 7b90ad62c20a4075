/**
 * Return a function that looks at a subject once, however often it is asked: a previewer asks when it recognizes a text and
 * when it reads it, and several previewers may ask about one text.
 */
export function perSubject<Subject extends object, Found>(
  look: (subject: Subject) => Found,
): (subject: Subject) => Found {
  const known = new WeakMap<Subject, { readonly found: Found }>()
  return (subject) => {
    let seen = known.get(subject)
    if (seen === undefined) known.set(subject, (seen = { found: look(subject) }))
    return seen.found
  }
}
