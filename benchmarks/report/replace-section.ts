/** Put a section of the second level into a document: in place of the one of this title, else before `before`. */
export function replaceSection(document: string, title: string, text: string, before: string): string {
  const heading = `## ${title}`
  const parts = document.split(/^(?=## )/m)
  const section = `${heading}\n\n${text.trim()}\n\n`
  const hasTitle = (part: string, wanted: string): boolean => part.startsWith(`## ${wanted}\n`)
  const at = parts.findIndex((part) => hasTitle(part, title))
  if (at >= 0) return parts.with(at, section).join('')
  const next = parts.findIndex((part) => hasTitle(part, before))
  if (next < 0) throw new Error(`The document has no section ${before}.`)
  return parts.toSpliced(next, 0, section).join('')
}
