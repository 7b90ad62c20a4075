/** Memoize a function of an object, because several previewers analyze the same text, each more than once. */
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
