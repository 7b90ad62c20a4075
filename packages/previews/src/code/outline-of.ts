import type { OutlineSymbol } from '../source/outline.ts'
import type { FoundDefinition } from './find-definitions.ts'
import type { Skeleton } from './skeleton.ts'

/** Kinds of definitions that only give a file its name. */
const WRAPPERS: ReadonlySet<string> = new Set(['namespace', 'module'])
const LONGEST_SIGNATURE = 240
/** How far a signature goes back from the name at most, to the beginning of its line. */
const LONGEST_BEFORE = 160

/** Tell where the definitions of a skeleton stand in the code. */
export function outlineOf(definitions: readonly FoundDefinition[], skeleton: Skeleton, code: string): OutlineSymbol[] {
  const { originOf } = skeleton
  const defined = new Set(definitions.filter(({ announces }) => !announces).map(({ name }) => name))
  const placed = definitions
    .filter(({ name, announces }) => !announces || !defined.has(name))
    .map((definition) => ({
      definition,
      name: originOf(definition.nameStart),
      end: originOf(Math.max(definition.start, definition.end - 1)),
    }))
    .toSorted((one, other) => one.name - other.name)
  const lines = linesAt(code, [...placed.map(({ name }) => name), ...placed.map(({ end }) => end)])
  const total = lines.get(Infinity)!
  const wrappers: { start: number; end: number }[] = []
  return placed.flatMap(({ definition, name, end }, index) => {
    const before = placed[index - 1]
    const line = lines.get(name)!
    // `typedef struct x {} x` names it twice.
    const repeats = before?.definition.name === definition.name && before.definition.end === definition.end
    if (repeats && lines.get(before.name) === line) return []
    const lifted = wrappers.filter(
      (wrapper) => wrapper.start <= definition.start && definition.end <= wrapper.end,
    ).length
    const endLine = Math.max(line, lines.get(end)!)
    if (WRAPPERS.has(definition.kind) && (endLine - line) * 2 > total) wrappers.push(definition)
    return {
      name: definition.name,
      kind: definition.kind,
      line,
      endLine,
      depth: Math.max(0, definition.depth - lifted),
      signature: signatureOf(
        code,
        name,
        originOf(definition.start),
        originOf(Math.max(0, definition.bodyStart - 1)) + 1,
      ),
    }
  })
}

/** The number of the line at each place, and under `Infinity` the number of lines. */
function linesAt(code: string, places: readonly number[]): Map<number, number> {
  const lines = new Map<number, number>()
  let line = 1
  let from = 0
  for (const place of [...places, code.length].toSorted((one, other) => one - other)) {
    for (let at = code.indexOf('\n', from); at !== -1 && at < place; at = code.indexOf('\n', from)) {
      line++
      from = at + 1
    }
    lines.set(place, line)
  }
  lines.set(Infinity, line)
  return lines
}

/** The line with the name, and those after it that its parameters go on over, without the body. */
function signatureOf(code: string, name: number, start: number, end: number): string {
  const earliest = Math.max(0, name - LONGEST_BEFORE)
  const lineStart = code.slice(earliest, name).lastIndexOf('\n')
  const from = lineStart === -1 ? (earliest === 0 ? 0 : Math.max(start, earliest)) : earliest + lineStart + 1
  const text = code.slice(from, Math.max(Math.min(end, from + LONGEST_SIGNATURE), name))
  return text
    .slice(0, headEnd(text, name - from))
    .replace(/\s+/g, ' ')
    .replace(/\s*(?:\{|=>?|:|\bdo)\s*$/, '')
    .trim()
}

/** Where the first line behind `from` ends that leaves no list open. */
function headEnd(text: string, from: number): number {
  let open = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '(' || character === '[') open++
    else if (character === ')' || character === ']') open--
    else if (character === '\n' && open <= 0) return at
  }
  return text.length
}
