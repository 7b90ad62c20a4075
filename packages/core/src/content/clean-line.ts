import { stripEscapes } from './strip-escapes.ts'

/**
 * What a terminal shows of a line: without escape sequences and control characters, with what a carriage return or an
 * erasing sequence overwrote left out, and without blanks at its end.
 */
export function cleanLine(raw: string): string {
  let line = raw
  if (line.charCodeAt(0) === 0xfeff) line = line.slice(1)
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(line)) line = replay(line)
  return line.trimEnd()
}

/** Split at carriage returns, and drop each state that the next one covers. */
function replay(line: string): string {
  const shown: string[] = []
  for (const part of line.split('\r')) {
    const erases = part.startsWith('\u001b[K') || part.startsWith('\u001b[0K') || part.startsWith('\u001b[2K')
    if (erases || part.endsWith('\u001b[K') || part.endsWith('\u001b[2K')) shown.length = 0
    const plain = stripControls(stripEscapes(part))
    if (plain.trim() === '') continue
    const previous = shown.at(-1)
    if (previous !== undefined && plain.length >= previous.trimEnd().length) shown.pop()
    shown.push(plain)
  }
  return shown.length > 1
    ? shown
        .slice(-3)
        .map((part) => part.trimEnd())
        .join(' ')
    : (shown[0] ?? '')
}

/** Remove control characters; a backspace takes the character before it. */
function stripControls(text: string): string {
  let clean = text
  if (clean.includes('\b')) clean = clean.replace(/[^\u0000-\u001f]\u0008/g, '')
  return clean.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
