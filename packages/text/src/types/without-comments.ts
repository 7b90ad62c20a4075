/** Cut the comments out of the beginning of a text in XML, and what follows one that has no end. */
export function withoutComments(text: string): string {
  let rest = text
  for (let start = rest.indexOf('<!--'); start >= 0; start = rest.indexOf('<!--', start)) {
    const end = rest.indexOf('-->', start + 4)
    rest = rest.slice(0, start) + (end < 0 ? '' : rest.slice(end + 3))
  }
  return rest
}
