/** Reads the text after a tag's name, and skips invalid parts. */
export function* xmlAttributes(text: string): Generator<readonly [name: string, value: string]> {
  const ATTRIBUTE = /([^\s=/"'<>]{1,64})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/g
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE)) yield [name!, double ?? single ?? '']
}

export function xmlAttribute(text: string, ...names: readonly string[]): string | undefined {
  let best: string | undefined
  let rank = names.length
  for (const [name, value] of xmlAttributes(text)) {
    const at = names.indexOf(name)
    if (at >= 0 && at < rank) [best, rank] = [value, at]
  }
  return best
}
