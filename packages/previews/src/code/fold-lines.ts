import { SkeletonBuilder, type Skeleton } from './skeleton.ts'

/** Longest part of a line that is looked at. */
const LONGEST_LINE = 400

/** How blocks stand in lines. */
export interface LineBlocks {
  /** Tested on a line without its indentation: whether a block begins with it that holds no definitions. */
  readonly closes: RegExp
  /** Tested on a line that is indented as the first one: whether it ends the block. */
  readonly end: RegExp
  /** What starts a comment. */
  readonly comment: string
}

/**
 * Leave out blocks by their lines: from one that begins a block to the next one that is indented like it and ends one.
 *
 * One pass over the lines. A block that has no such end, or not before another one begins there, is kept.
 *
 * @param asked - Blocks that stay, by where they begin.
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

/** How many more parameter lists a line opens than it closes. */
function unclosed(line: string): number {
  let open = 0
  for (const character of line.slice(0, LONGEST_LINE)) {
    if (character === '(') open++
    else if (character === ')') open--
  }
  return open
}

/** For each line that begins a block the line that ends it; 0 where there is none. */
function endsOfBlocks(count: number, lineOf: (index: number) => string, blocks: LineBlocks): Uint32Array {
  const ends = new Uint32Array(count)
  /** The open block at each indentation. */
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
