import { isAsciiBytes } from '#platform'
import { textEncodingOf } from './text-encoding.ts'

/** Latin text in UTF-16 that was read as UTF-8, for example a part that a shell of Windows appended to a log. */
const WIDE_PART = /(?:[^\0]\0){8,}/g
const LINE_FEED = 10

/**
 * Decode all of a content, or return `undefined` if it is not text.
 *
 * A byte order mark of UTF-8 is kept. In a text in UTF-8, parts in UTF-16 are decoded too, and lines that are not UTF-8 are read
 * as Windows-1252, which has Latin-1 in it.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = textEncodingOf(bytes)
  if (encoding === undefined) return undefined
  return encoding === 'utf-8' ? narrow(decodeLines(bytes)) : new TextDecoder(encoding).decode(bytes)
}

/** Whether a text in UTF-8 has parts in another encoding, or what stands for a character that was lost. */
export function hasOtherParts(bytes: Uint8Array): boolean {
  if (isAsciiBytes(bytes, 0, bytes.length) && !bytes.includes(0)) return false
  const text = new TextDecoder().decode(bytes, { stream: true })
  return text.includes('\ufffd') || text.search(WIDE_PART) >= 0
}

/** Return a text as it is previewed: parts in UTF-16 are decoded, and other NULs separate words. */
export function withoutNuls(text: string): string {
  return text.includes('\0') ? narrow(text).replace(/\0+/g, ' ') : text
}

const narrow = (text: string): string => text.replace(WIDE_PART, (part) => part.replaceAll('\0', ''))

function decodeLines(bytes: Uint8Array): string {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const whole = utf8.decode(bytes)
  if (!whole.includes('\ufffd')) return whole
  const latin = new TextDecoder('windows-1252')
  const encoder = new TextEncoder()
  const lines: string[] = []
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = bytes.indexOf(LINE_FEED, start) + 1 || bytes.length
    const line = bytes.subarray(start, end)
    const text = utf8.decode(line)
    // A replacement character may stand in the content itself: then the same bytes come back.
    const isExact = !text.includes('\ufffd') || encoder.encode(text).length === line.length
    lines.push(isExact ? text : latin.decode(line))
  }
  return lines.join('')
}
