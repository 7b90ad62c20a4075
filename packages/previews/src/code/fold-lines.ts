import { SkeletonBuilder, type Skeleton } from './skeleton.ts'

const LONGEST_LINE = 400

export interface LineBlocks {
  /** Tested on a line without its indentation: whether it begins a block without definitions. */
  readonly closes: RegExp
  /** Tested on a line indented like the first one: whether it ends the block. */
  readonly end: RegExp
  readonly comment: string
}

/**
 * Leaves out blocks from the line that begins one to the next line with the same indentation that ends one.
 *
 * A block without such an end, or with another start before it, is kept.
 *
 * @param asked - Starts of blocks that stay.
 */
export function foldLines(code: string, blocks: LineBlocks, asked: ReadonlySet<number>): Skeleton {
  const starts: number[] = []
  for (let at = 0; at !== 0 || starts.length === 0; at = code.indexOf('\n', at) + 1) starts.push(at)
  const lineOf = (index: number): string => code.slice(starts[index], starts[index + 1] ?? code.length)
  const ends = endsOfBlocks(starts.length, (index) => lineOf(index).slice(0, LONGEST_LINE), blocks)
  const builder = new SkeletonBuilder(code)
  for (let index = 0; index < starts.length; index++) {
    const start = starts[index]!
    const line = lineOf(index)
    const trimmed = line.trim()
    if (trimmed === '' || (trimmed.startsWith(blocks.comment) && !trimmed.startsWith('#!'))) continue
    builder.keep(start, start + line.length)
    const end = ends[index]!
    if (end <= index + 1) continue
    const first = start + line.length - line.trimStart().length
    if (asked.has(first)) continue
    builder.fold(first)
    for (let open = unclosed(line); open > 0 && index + 1 < end; open += unclosed(lineOf(index))) {
      index++
      builder.keep(starts[index]!, starts[index + 1] ?? code.length)
    }
    index = end - 1
  }
  return builder.finish()
}

function unclosed(line: string): number {
  let open = 0
  for (const character of line.slice(0, LONGEST_LINE)) {
    if (character === '(') open++
    else if (character === ')') open--
  }
  return open
}

function endsOfBlocks(count: number, lineOf: (index: number) => string, blocks: LineBlocks): Uint32Array {
  const ends = new Uint32Array(count)
  const open = new Map<number, number>()
  for (let index = 0; index < count; index++) {
    const line = lineOf(index)
    const trimmed = line.trimStart()
    if (trimmed === '') continue
    const indent = line.length - trimmed.length
    const begun = open.get(indent)
    if (begun !== undefined && blocks.end.test(trimmed)) {
      ends[begun] = index
      open.delete(indent)
    } else if (blocks.closes.test(trimmed.trimEnd())) open.set(indent, index)
  }
  return ends
}
