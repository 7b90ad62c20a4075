/** Reads numbers and text out of bytes that may end anywhere: a number beyond the end is `NaN`, a text there is empty. */
export class ByteView {
  readonly length: number
  readonly #bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.length = bytes.byteLength
  }

  uint8(at: number): number {
    return this.#within(at, 1) ? this.#view.getUint8(at) : Number.NaN
  }

  uint16(at: number, littleEndian = false): number {
    return this.#within(at, 2) ? this.#view.getUint16(at, littleEndian) : Number.NaN
  }

  uint32(at: number, littleEndian = false): number {
    return this.#within(at, 4) ? this.#view.getUint32(at, littleEndian) : Number.NaN
  }

  /** Beyond 2^53 it is not exact, which no size of a file comes near. */
  uint64(at: number, littleEndian = false): number {
    return this.#within(at, 8) ? Number(this.#view.getBigUint64(at, littleEndian)) : Number.NaN
  }

  /** Read bytes as Latin-1, as many as there are. */
  text(at: number, length: number): string {
    if (!this.#within(at, 0)) return ''
    let text = ''
    const end = Math.min(at + length, this.length)
    for (let index = at; index < end; index++) text += String.fromCharCode(this.#bytes[index]!)
    return text
  }

  /** Tell whether bytes, given as Latin-1, stand at a place. */
  has(at: number, signature: string): boolean {
    if (!this.#within(at, signature.length)) return false
    for (let index = 0; index < signature.length; index++)
      if (this.#bytes[at + index] !== signature.charCodeAt(index)) return false
    return true
  }

  /** Find bytes, given as Latin-1, at or before a place but not before `least`; -1 where they are not. */
  lastIndexOf(signature: string, at: number, least: number): number {
    const first = signature.charCodeAt(0)
    let index = Math.min(at, this.length - signature.length)
    while (index >= Math.max(0, least)) {
      index = this.#bytes.lastIndexOf(first, index)
      if (index < Math.max(0, least)) return -1
      if (this.has(index, signature)) return index
      index--
    }
    return -1
  }

  #within(at: number, size: number): boolean {
    return at >= 0 && at + size <= this.length && Number.isInteger(at)
  }
}
