import { parseSync } from 'oxc-parser'

/** A block of code between fences in a document or a TSDoc comment. */
export interface Fence {
  /** Language and flags of the opening fence, for example `ts` or `ts no-run`. */
  readonly language: string
  readonly flags: readonly string[]
  /** The name after `file=`. Other fences of the document can import the fence by this name. */
  readonly file: string | undefined
  readonly code: string
  /** Line number of the first line of code in the document, from 1. */
  readonly line: number
  /** Line numbers of the headings of the sections around the fence, the outermost first. */
  readonly sections: readonly number[]
}

/** List the fences of a Markdown document. */
export function extractFences(markdown: string): Fence[] {
  return readFences(markdown.split(/\r?\n/), 1)
}

/** List the fences of every TSDoc comment in a TypeScript source. */
export function extractDocFences(path: string, source: string): Fence[] {
  return parseSync(path, source)
    .comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    .flatMap(({ start, value }) => {
      const lines = value.split(/\r?\n/).map((line) => line.replace(/^\s*\* ?/, ''))
      return readFences(lines, lineAt(source, start))
    })
}

/** Return the line number, from 1, of an offset in a text. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function readFences(lines: readonly string[], firstLine: number): Fence[] {
  const fences: Fence[] = []
  let headings: { readonly level: number; readonly line: number }[] = []
  let open: { fence: string; indent: number; info: string; start: number } | undefined
  for (const [index, line] of lines.entries()) {
    const match = /^( *)(`{3,})(.*)$/.exec(line)
    if (open === undefined) {
      if (match !== null) {
        const [, indent = '', fence = '', info = ''] = match
        open = { fence, indent: indent.length, info: info.trim(), start: index + 1 }
      }
      const level = /^(#{1,6}) /.exec(line)?.[1]?.length
      if (level !== undefined)
        headings = [...headings.filter((above) => above.level < level), { level, line: firstLine + index }]
    } else if (match?.[2] === open.fence && match[3]?.trim() === '') {
      const [language = '', ...flags] = open.info.split(/\s+/)
      const code = lines.slice(open.start, index).map((text) => text.slice(Math.min(open?.indent ?? 0, indentOf(text))))
      const file = flags.find((flag) => flag.startsWith('file='))?.slice('file='.length)
      const sections = headings.map((heading) => heading.line)
      fences.push({ language, flags, file, code: code.join('\n'), line: firstLine + open.start, sections })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`The fence that opens on line ${firstLine + open.start - 1} is never closed.`)
  return fences
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}
