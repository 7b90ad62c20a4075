/** Headers of binary formats, written according to their specifications. */

/** Join texts, encoded as Latin-1, numbers, as single bytes, and bytes. */
export function bytesOf(...parts: readonly (string | number | Uint8Array)[]): Uint8Array {
  return new Uint8Array(
    Buffer.concat(
      parts.map((part) => {
        if (typeof part === 'number') return Uint8Array.of(part)
        return typeof part === 'string' ? Buffer.from(part, 'latin1') : part
      }),
    ),
  )
}

/** Encode an integer in this many bytes, little-endian. */
export const little = (value: number, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** index) % 256)

/** Encode an integer in this many bytes, big-endian. */
export const big = (value: number, size: number): Uint8Array => little(value, size).toReversed()

export const png = (width: number, height: number): Uint8Array =>
  bytesOf('\x89PNG\r\n\x1a\n', big(13, 4), 'IHDR', big(width, 4), big(height, 4), '\b\x06\0\0\0')

/** A JPEG file that has a camera segment with a thumbnail before its frame. */
export const jpeg = (width: number, height: number): Uint8Array =>
  bytesOf(
    '\xff\xd8\xff\xe1',
    big(2 + 30, 2),
    'Exif\0\0',
    '\xff\xd8\xff\xc0\0\x11\b\0\x10\0\x10'.padEnd(24, '\0'),
    '\xff\xff\xc2',
    big(17, 2),
    8,
    big(height, 2),
    big(width, 2),
  )

/** A RIFF WAVE file with 16 bits and two channels, and with a chunk before its data. */
export const wav = (seconds: number, hertz: number): Uint8Array =>
  bytesOf(
    'RIFF',
    little(0, 4),
    'WAVE',
    'LIST',
    little(3, 4),
    'abc\0',
    'fmt ',
    little(16, 4),
    little(1, 2),
    little(2, 2),
    little(hertz, 4),
    little(hertz * 4, 4),
    little(4, 2),
    little(16, 2),
    'data',
    little(seconds * hertz * 4, 4),
  )

/** A ZIP file with empty, uncompressed entries. */
export function zip(names: readonly string[], comment = ''): Uint8Array {
  const fields = bytesOf(little(0, 12))
  const local = names.map((name) =>
    bytesOf('PK\x03\x04', little(20, 2), little(0, 8), fields, little(name.length, 2), little(0, 2), name),
  )
  const central = names.map((name) =>
    bytesOf(
      'PK\x01\x02',
      little(20, 2),
      little(20, 2),
      little(0, 8),
      fields,
      little(name.length, 2),
      little(0, 16),
      name,
    ),
  )
  const directory = bytesOf(...central)
  const start = local.reduce((sum, { length }) => sum + length, 0)
  return bytesOf(
    ...local,
    directory,
    'PK\x05\x06',
    little(0, 4),
    little(names.length, 2),
    little(names.length, 2),
    little(directory.length, 4),
    little(start, 4),
    little(comment.length, 2),
    comment,
  )
}

/** A header of a tar archive, followed by zeros of the given size. */
export function tarEntry(name: string, size: number, type = '0'): Uint8Array {
  const header = bytesOf(
    name.padEnd(100, '\0'),
    '0000644\0'.repeat(3),
    `${size.toString(8).padStart(11, '0')}\0`,
    '00000000000\0        ',
    type,
    '\0'.repeat(100),
    'ustar\x0000',
  )
  return bytesOf(header, little(0, 512 - header.length), little(0, Math.ceil(size / 512) * 512))
}
