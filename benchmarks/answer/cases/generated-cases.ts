import type { AnswerCase } from '../answer-case.ts'
import { SeededRandom } from '../seeded-random.ts'
import { cellCase, linesCase, placeCase } from './case-parts.ts'
import { jsonCases, type JsonDocument } from './json-cases.ts'
import { logCases, type LabelledLog } from './log-cases.ts'
import { tableCases, type Table } from './table-cases.ts'

const WORDS =
  'amber anchor basket beacon canyon carbon cedar cipher cobalt copper coral delta drift ember falcon garnet harbor indigo jasper kernel lantern marble nectar onyx orchid pepper quartz raven saffron timber umber velvet willow zephyr'.split(
    ' ',
  )

/** Questions about generated content, `perKind` of each kind, for a check without data. A seed repeats them. */
export function generatedCases(seed: number, perKind: number): readonly AnswerCase[] {
  const random = new SeededRandom(seed)
  const numbers = Array.from({ length: perKind }, (_, index) => index)
  const all = [
    ...logCases(
      numbers.flatMap((index) => [makeLog(random, index), makeLog(random, index)]),
      random,
    ),
    ...tableCases(
      numbers.map((index) => makeTable(random, index)),
      random,
    ),
    ...jsonCases(
      numbers.map((index) => makeDocument(random, index)),
      random,
    ),
    ...numbers.map((index) => makeCommand(random, index)),
    ...numbers.map((index) => makeSource(random, index)),
    ...numbers.map((index) => makePassage(random, index, 'page-fact')),
    ...numbers.map((index) => makePassage(random, index, 'later-use')),
  ]
  return [...Map.groupBy(all, ({ kind }) => kind).values()].flatMap((cases) => cases.slice(0, perKind))
}

const name = (random: SeededRandom): string => `${random.pick(WORDS)}-${random.pick(WORDS)}`
const sentence = (random: SeededRandom, length: number): string =>
  Array.from({ length }, () => random.pick(WORDS)).join(' ')
const code = (random: SeededRandom): string =>
  random
    .below(16 ** 8)
    .toString(16)
    .padStart(8, '0')
const common = (index: number) => ({ group: `generated:${index}`, origin: 'generated' }) as const

function makeLog(random: SeededRandom, index: number): LabelledLog {
  const lines = Array.from(
    { length: 500 },
    (_, line) => `[${line}] built ${name(random)} in ${random.below(900)} ms (${code(random)})`,
  )
  const at = 50 + random.below(400)
  const reason = [
    `Error: ${name(random)} expected ${random.below(1_000)} but got ${random.below(1_000)} (${code(random)})`,
    `    at ${name(random)} (src/${name(random)}.ts:${random.below(300)}:7)`,
  ]
  lines.splice(at, 0, ...reason)
  lines.push(`finished after ${random.below(90)} s with ${code(random)}`)
  return {
    id: `log-${index}-${code(random)}`,
    ...common(index),
    text: `${lines.join('\n')}\n`,
    question: 'Why did this run fail?',
    lines: [[at + 1, at + 2]],
  }
}

function makeTable(random: SeededRandom, index: number): Table {
  const columns = ['id', 'customer', 'region', 'amount']
  const regions = ['north', 'south', 'east', 'west']
  const rows = Array.from({ length: 600 }, () => [
    code(random),
    name(random),
    random.pick(regions),
    String(random.below(100_000)),
  ])
  const text = `${[columns, ...rows].map((row) => row.join(',')).join('\n')}\n`
  return { id: `table-${index}`, ...common(index), text, contentType: 'text/csv', columns, rows }
}

function makeDocument(random: SeededRandom, index: number): JsonDocument {
  const items = Array.from({ length: 250 }, () => ({
    id: code(random),
    owner: { name: name(random), token: code(random) },
    note: sentence(random, 5),
  }))
  return { id: `json-${index}`, ...common(index), text: JSON.stringify({ total: items.length, items }) }
}

function makeCommand(random: SeededRandom, index: number): AnswerCase {
  const rows = Array.from({ length: 400 }, () => [
    code(random).padEnd(10),
    random.pick(['running', 'stopped', 'waiting']).padEnd(9),
    String(random.below(64_000)).padStart(6),
    name(random),
  ])
  const lines = ['ID         STATE       PORT NAME', ...rows.map((row) => row.join(' '))]
  const row = random.below(rows.length)
  const [id = '', , port = ''] = rows[row] ?? []
  const asks = { form: 'cell', keyColumn: 'ID', key: id.trim(), field: 'PORT' } as const
  const results = [{ text: `${lines.join('\n')}\n`, contentType: 'text/plain', toolName: 'bash' }]
  const question = `Where ID is ${id.trim()}, what is PORT?`
  const draft = { id: `command-${index}`, kind: 'command-cell', ...common(index), results, question, asks } as const
  const place = { row: (lines[row + 1] ?? '').trim(), key: id.trim(), cell: port.trim() }
  return cellCase({ ...draft, lines: [[[row + 2, row + 2]]] }, place)
}

function makeSource(random: SeededRandom, index: number): AnswerCase {
  const names = Array.from(
    { length: 120 },
    (_, at) => `${random.pick(WORDS)}${random.pick(WORDS).replace(/^./, (one) => one.toUpperCase())}${at}`,
  )
  const text = names
    .map(
      (one) =>
        `/** Makes ${sentence(random, 4)}. */\nexport function ${one}(value: string): string {\n  return value + '${code(random)}'\n}\n`,
    )
    .join('\n')
  const word = random.pick(names)
  const line = text.slice(0, text.indexOf(`function ${word}(`)).split('\n').length
  const results = [
    { text, contentType: 'text/plain', toolName: 'read_file', toolInput: { path: `src/made-${index}.ts` } },
  ]
  const question = `On which line is ${word} defined?`
  const asks = { form: 'word', word } as const
  const draft = { id: `source-${index}`, kind: 'code-symbol', ...common(index), results, question, asks } as const
  return placeCase({ ...draft, lines: [[[line, line]]] }, word, line)
}

function makePassage(random: SeededRandom, index: number, kind: 'page-fact' | 'later-use'): AnswerCase {
  const passages = Array.from({ length: 150 }, () => `${sentence(random, 14)} ${code(random)}.`)
  const at = 20 + random.below(100)
  const passage = passages[at] ?? ''
  const isPage = kind === 'page-fact'
  const lines = isPage
    ? [
        '<!doctype html><html><head><title>Made</title></head><body>',
        ...passages.map((one) => `<p>${one}</p>`),
        '</body></html>',
      ]
    : passages
  const line = isPage ? at + 2 : at + 1
  const word = passage.split(' ').at(-1)?.replace('.', '') ?? ''
  const results = [
    {
      text: lines.join('\n'),
      contentType: isPage ? 'text/html' : 'text/plain',
      toolName: isPage ? 'web_fetch' : 'bash',
    },
  ]
  const question = `What is there about ${word}?`
  const asks = { form: 'words', words: word } as const
  const draft = { id: `${kind}-${index}`, kind, ...common(index), results, question, asks } as const
  return linesCase({ ...draft, lines: [[[line, line]]] }, [passage])
}
