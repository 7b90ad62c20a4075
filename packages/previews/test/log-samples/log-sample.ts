import { readdirSync, readFileSync } from 'node:fs'

/** Output of a failed tool, with the lines that contain the reason of the failure. */
export interface LogSample {
  /** Kind of tool. */
  readonly family: string
  readonly tool: string
  /** The output with about 1,500 lines of ordinary progress around the failure. */
  readonly text: string
  /** Lines that a preview must show. */
  readonly answers: readonly string[]
}

/** Approximate number of lines of progress in a sample. */
const PROGRESS_LINES = 1_500

/**
 * Read every sample. Each line of a sample begins with a mark and a blank: `!` before a line that a preview must show,
 * `~` before a line of progress, and a blank before other lines. Lines of progress are repeated in blocks, with `{n}`
 * for numbers, `{h}` for hexadecimal, `{t}` for a time of day, `{w}` and `{W}` for words.
 */
export function readLogSamples(): LogSample[] {
  const folder = new URL('.', import.meta.url)
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: family }) =>
      readdirSync(new URL(`${family}/`, folder)).map((file) => {
        const source = readFileSync(new URL(`${family}/${file}`, folder), 'utf8')
        return { family, tool: file.replace(/\.txt$/, ''), ...expand(source) }
      }),
    )
}

function expand(source: string): Pick<LogSample, 'text' | 'answers'> {
  const blocks = source.replace(/\n$/, '').split(/(?<=^~.*\n)(?!~)|(?<=\n)(?=~)(?<!^~.*\n)/m)
  const progressed = blocks.filter((block) => block.startsWith('~')).length
  const fill = filler()
  const lines: string[] = []
  const answers: string[] = []
  for (const block of blocks) {
    const blockLines = block.replace(/\n$/, '').split('\n')
    const shown = blockLines.map((line) => line.slice(2))
    if (block.startsWith('~')) {
      const rounds = Math.ceil(PROGRESS_LINES / progressed / shown.length)
      for (let round = 0; round < rounds; round++) lines.push(...shown.map((template) => fill(template)))
      continue
    }
    lines.push(...shown)
    for (const line of blockLines) if (line.startsWith('!')) answers.push(line.slice(2).trim())
  }
  return { text: lines.join('\n') + '\n', answers }
}

const SYLLABLES = ['ba', 'co', 'di', 'fu', 'ga', 'lo', 'mi', 'ne', 'po', 'ra', 'su', 'ti', 'vo', 'ze']

/** Return a function that fills the placeholders of a template, with the same values in every run. */
function filler(): (template: string) => string {
  let state = 1
  const random = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const word = (): string => Array.from({ length: 2 + random(2) }, () => SYLLABLES[random(14)]).join('')
  const two = (limit: number): string => String(random(limit)).padStart(2, '0')
  const places: Record<string, () => string> = {
    n: () => String(1 + random(random(2) === 0 ? 98 : 8_000)),
    h: () =>
      random(2 ** 31)
        .toString(16)
        .padStart(8, '0'),
    t: () => `${two(24)}:${two(60)}:${two(60)}`,
    w: word,
    W: () => word().replace(/^./, (letter) => letter.toUpperCase()),
  }
  return (template) => template.replace(/\{([nhtwW])\}/g, (_, place: string) => places[place]?.() ?? '')
}
