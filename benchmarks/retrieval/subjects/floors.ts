import { isAscii } from 'node:buffer'
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { BLOCK, lineIndex } from '../../speed/lib.mjs'
import { scanText } from './scan-text.ts'
import type { Answer, Place, Question, Subject } from './subject.ts'

const LINE_FEED = 10
const TAIL_BYTES = 16_384

const decode = (bytes: Buffer): string => (isAscii(bytes) ? bytes.toString('latin1') : bytes.toString())
const expressionOf = ({ pattern, ignoreCase }: Question): RegExp =>
  new RegExp(pattern, ignoreCase === true ? 'gim' : 'gm')

/** Runs one expression over the whole text. The file is read and decoded for each call. */
export const wholeFile = ({ file }: Place): Subject => ({
  search: (question) => scanText(decode(readFileSync(file)), expressionOf(question)),
})

/** Runs one expression over the whole text, which was decoded before. */
export function wholeString({ file }: Place): Subject {
  const text = decode(readFileSync(file))
  return { search: (question) => scanText(text, expressionOf(question)) }
}

/** Runs one expression over blocks of 64 KiB in turn, with a prepared index of lines. Context ends with a block. */
export function blocksOfFile({ file }: Place): Subject {
  const reader = openIndexed(file)
  return {
    search: (question) => searchBlocks(reader, expressionOf(question)),
    lines: (start, end) => linesByIndex(reader, start, end),
    close: async () => closeSync(reader.descriptor),
  }
}

/** Reads the first or last lines with one read. Lines between them would need an index. */
export function endsOfFile({ file }: Place): Subject {
  const descriptor = openSync(file, 'r')
  const { size } = fstatSync(descriptor)
  const read = (offset: number): string[] => {
    const bytes = Buffer.allocUnsafe(TAIL_BYTES)
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, TAIL_BYTES, offset)).split('\n')
  }
  return {
    lines: (start, end) => {
      const count = end - start + 1
      // The last line ends with a line feed.
      const lines = start === 1 ? read(0).slice(0, count) : read(size - TAIL_BYTES).slice(-count - 1, -1)
      return lines.map((line, index) => `${start + index}| ${line}`).join('\n')
    },
    close: async () => closeSync(descriptor),
  }
}

interface IndexedFile {
  readonly descriptor: number
  readonly size: number
  /** Number of line feeds before each block, and in total. */
  readonly index: Float64Array
}

function openIndexed(file: string): IndexedFile {
  const descriptor = openSync(file, 'r')
  const { size } = fstatSync(descriptor)
  const readAt = (bytes: Buffer, at: number, length: number, position: number): number =>
    readSync(descriptor, bytes, at, length, position)
  return { descriptor, size, index: lineIndex(readAt, size) }
}

function searchBlocks(file: IndexedFile, expression: RegExp): Answer {
  let buffer = Buffer.allocUnsafe(2 * BLOCK)
  let carried = 0
  let matches = 0
  let text = ''
  for (let position = 0; position < file.size || carried > 0;) {
    if (buffer.length - carried < BLOCK / 2) buffer = Buffer.concat([buffer], buffer.length * 2)
    const base = position - carried
    position += readSync(file.descriptor, buffer, carried, buffer.length - carried, position)
    const length = position - base
    const end = position >= file.size ? length : buffer.lastIndexOf(LINE_FEED, length - 1) + 1
    carried = length - end
    if (end > 0) {
      const block = decode(buffer.subarray(0, end > 0 && buffer[end - 1] === LINE_FEED ? end - 1 : end))
      const found = scanText(block, expression, () => lineNumberAt(file, base))
      matches += found.matches ?? 0
      if (text.length < 10_000) text += found.text
      buffer.copyWithin(0, end, length)
    }
    if (position >= file.size) break
  }
  return { matches, text: text.slice(0, 10_000) }
}

function lineNumberAt({ descriptor, index }: IndexedFile, offset: number): number {
  const block = Math.floor(offset / BLOCK)
  const bytes = Buffer.allocUnsafe(offset - block * BLOCK)
  readSync(descriptor, bytes, 0, bytes.length, block * BLOCK)
  let number = (index[block] ?? 0) + 1
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) number++
  return number
}

function linesByIndex({ descriptor, size, index }: IndexedFile, start: number, end: number): string {
  let low = 0
  for (let high = index.length - 1; low < high;) {
    const middle = Math.ceil((low + high) / 2)
    if ((index[middle] ?? 0) < start - 1) low = middle
    else high = middle - 1
  }
  let number = (index[low] ?? 0) + 1
  let rest: Uint8Array = Buffer.alloc(0)
  const lines: string[] = []
  for (let position = low * BLOCK; ;) {
    const bytes = Buffer.allocUnsafe(Math.min(BLOCK, size - position))
    position += readSync(descriptor, bytes, 0, bytes.length, position)
    const block = Buffer.concat([rest, bytes])
    let at = 0
    for (;;) {
      const lineFeed = block.indexOf(LINE_FEED, at)
      if (lineFeed < 0 && position < size) break
      if (number >= start)
        lines.push(`${number}| ${block.toString('utf8', at, lineFeed < 0 ? block.length : lineFeed)}`)
      at = lineFeed + 1
      if (++number > end || lineFeed < 0) return lines.join('\n')
    }
    rest = block.subarray(at)
  }
}
