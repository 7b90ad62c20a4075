const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/**
 * Replace the escapes of JSON (RFC 8259, section 7) by what they stand for; an unknown one stands for the character after
 * its backslash.
 *
 * @returns The text, and as `rest` an escape that may go on after its end.
 */
export function decodeEscapes(raw: string): { text: string; rest: string } {
  let at = raw.indexOf('\\')
  if (at < 0) return { text: raw, rest: '' }
  const parts: string[] = []
  let from = 0
  while (at >= 0) {
    const kind = raw[at + 1]
    const length = kind === 'u' ? 6 : 2
    if (kind === undefined || at + length > raw.length) {
      parts.push(raw.slice(from, at))
      return { text: parts.join(''), rest: raw.slice(at) }
    }
    parts.push(raw.slice(from, at), unescaped(raw, at, kind))
    from = at + length
    at = raw.indexOf('\\', from)
  }
  parts.push(raw.slice(from))
  return { text: parts.join(''), rest: '' }
}

function unescaped(raw: string, at: number, kind: string): string {
  if (kind !== 'u') return SIMPLE[kind] ?? kind
  const hex = raw.slice(at + 2, at + 6)
  return /^[\da-f]{4}$/i.test(hex) ? String.fromCharCode(Number.parseInt(hex, 16)) : hex
}
