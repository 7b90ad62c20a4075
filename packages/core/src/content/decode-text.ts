import { textEncodingOf } from './text-encoding.ts'

/** Latin text in UTF-16 that was read as UTF-8, for example a part that a shell of Windows appended to a log. */
const WIDE_PART = /(?:[^\0]\0){8,}/g

/** Decode all of a content, or return `undefined` if it is not text. A byte order mark of UTF-8 is kept. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = textEncodingOf(bytes)
  return encoding && narrow(new TextDecoder(encoding, { ignoreBOM: encoding === 'utf-8' }).decode(bytes))
}

/** Whether bytes that are text in UTF-8 have a part in UTF-16. */
export function hasWidePart(bytes: Uint8Array): boolean {
  return bytes.includes(0) && new TextDecoder().decode(bytes).search(WIDE_PART) >= 0
}

/** Return a text as it is previewed: parts in UTF-16 are decoded, and other NULs separate words. */
export function withoutNuls(text: string): string {
  return text.includes('\0') ? narrow(text).replace(/\0+/g, ' ') : text
}

const narrow = (text: string): string => text.replace(WIDE_PART, (part) => part.replaceAll('\0', ''))
