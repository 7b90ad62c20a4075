import { CLASSES, UPPER } from './character-classes.ts'

/** The hash of the letters from an index of a text up to another, without their case. */
export function hashWord(text: string, from = 0, to: number = text.length): number {
  let hash = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    hash = ((hash << 5) - hash + (CLASSES[code] === UPPER ? code | 32 : code)) | 0
  }
  return hash
}
