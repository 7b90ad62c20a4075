import type { ByteView } from '@spillway/text/internal'

const BLOCK = 512

/** Count the files of a tar archive (POSIX ustar), or nothing where it ends early or its headers are not what they should be. */
export function countTarFiles(view: ByteView): number | undefined {
  let files = 0
  for (let at = 0; at + BLOCK <= view.length;) {
    // Blocks of zeros end the archive.
    if (view.uint8(at) === 0) return files
    if (!view.has(at + 257, 'ustar')) return undefined
    const size = tarSize(view, at + 124)
    if (size === undefined) return undefined
    const type = view.text(at + 156, 1)
    if (type === '0' || type === '\0' || type === '7') files++
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return undefined
}

/** Octal digits, or from 8 GB on a number of which the first bit is set (GNU, star). */
function tarSize(view: ByteView, at: number): number | undefined {
  if ((view.uint8(at) & 0x80) !== 0) return view.uint64(at + 4)
  const digits = view
    .text(at, 12)
    .replace(/[\0 ]+$/, '')
    .trimStart()
  return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : undefined
}
