/** First bytes of UTF-8 characters, without the bytes that must follow. */
const EARLY_ENDS = [0xf0, 0x9f, 0x98, 97, 0xe2, 0x82, 98, 0xc3, 10]

/** Contents in which matching lines is slow, each as a function of its approximate length in bytes. */
export const HOSTILE_INPUTS: Readonly<Record<string, (length: number) => string | Uint8Array>> = {
  'one line, a near miss': (length) => `${'a'.repeat(length - 2)}!\n`,
  'one line without an end': (length) => 'a'.repeat(length),
  'words on one line': (length) => 'aab ba '.repeat(length / 7),
  'near misses line by line': (length) => `${'a'.repeat(30)}!\n`.repeat(length / 32),
  'lines as long as a hit may be': (length) => `${'ab'.repeat(2_048)}!\n`.repeat(length / 4_098),
  'a long line among short ones': (length) =>
    `${'ab\n'.repeat(length / 9)}${'ab'.repeat(length / 6)}\n${'b a\n'.repeat(length / 12)}`,
  'nothing but line ends': (length) => '\n'.repeat(length),
  'nothing but CR': (length) => `${'\r'.repeat(length - 1)}\n`,
  'CR everywhere': (length) => 'a\rb\r\r\n\r'.repeat(length / 7),
  'CRLF, the last line without': (length) => `${'aab b\r\n'.repeat(length / 7)}a\r`,
  'bytes that are not UTF-8': (length) =>
    Uint8Array.from({ length }, (_, index) =>
      index % 61 === 60 ? 10 : index % 7 < 3 ? 97 : 128 + ((index * 31) % 128),
    ),
  'characters that end too early': (length) =>
    Uint8Array.from({ length }, (_, index) => EARLY_ENDS[index % EARLY_ENDS.length] ?? 0),
  'astral characters': (length) => 'a😀b😁\n😀'.repeat(length / 17),
  'astral characters on one line': (length) => '😀'.repeat(length / 4),
  'a byte order mark, and more of them': (length) => '\uFEFFa\uFEFF\n'.repeat(length / 8),
  'line ends of others': (length) => 'ab\u2028a\u2029b\u0085a\vb\f\n'.repeat(length / 15),
  'zero bytes': (length) => 'a\0b\n'.repeat(length / 4),
  'JSON on one line': (length) => `[${'{"a":"b a","b":[1,2,"aa"]},'.repeat(length / 27)}]`,
}
