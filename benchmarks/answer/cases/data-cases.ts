import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCases } from '../../preview/lib/cases.mjs'
import { stripTags, words } from '../../preview/lib/text.mjs'
import type { AnswerCase } from '../answer-case.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { cellCase, drawByGroup, joinNear, linesCase, MIN_CHARACTERS, placeCase } from './case-parts.ts'
import type { LabelledLog } from './log-cases.ts'
import { readRows, type Table } from './table-cases.ts'
import { heldOutLogPreviewers } from '../../preview/lib/held-out-logs.ts'

const MOST = 60

/** Logs of projects that were not known when rules were written. */
export function unseenLogs(data: string): readonly LabelledLog[] {
  const folder = join(data, 'more/logs')
  // Weights are fitted on first use, because this takes a minute, and most test runs need no weights.
  let previewers: ReturnType<typeof heldOutLogPreviewers> | undefined
  return (readEntries(join(folder, 'answers.json')) as readonly LogEntry[])
    .filter(({ project_in_dev, gold }) => !project_in_dev && (gold.line_ranges ?? []).length > 0)
    .map(({ id, group, file, question, gold }) => ({
      id,
      group,
      origin: 'unseen',
      text: readFileSync(join(folder, file), 'utf8'),
      question,
      lines: gold.line_ranges ?? [],
      heldOut: () => (previewers ??= heldOutLogPreviewers(data))(id),
    }))
}

/** Questions about one passage of a page's main text, with the rarest words of the passage. */
export function pageCases(data: string, random: SeededRandom): readonly AnswerCase[] {
  const pages = (loadCases(join(data, 'more'), ['html']) as PageEntry[]).filter(
    ({ text, gold }) => text.length >= MIN_CHARACTERS && (gold.with ?? []).length > 0,
  )
  return drawByGroup(pages, { random, perGroup: 1, most: MOST }).map(({ id, group, text, toolInput, gold }) => {
    const passage = random.of(id).pick(gold.with ?? [])
    // The passages in the data end within a word, so the last word is dropped.
    const passageWords = (words(passage) as string[]).slice(0, -1)
    const asked = [...new Set(passageWords)]
      .toSorted((one, other) => other.length - one.length)
      .slice(0, 3)
      .join(' ')
    const needle = ` ${passageWords.join(' ')} `
    const recall = ({ shown }: { readonly shown: string }): number =>
      [shown, stripTags(shown) as string].some((one) => ` ${(words(one) as string[]).join(' ')} `.includes(needle))
        ? 1
        : 0
    const line = lineWith(text, passage)
    return {
      id: `${id}#page-fact`,
      kind: 'page-fact',
      group,
      origin: 'unseen',
      results: [{ text, contentType: 'text/html', toolName: 'web_fetch', toolInput }],
      question: `What does the page say about ${asked}?`,
      asks: { form: 'words', words: asked },
      lines: [[[line, line + 2]]],
      recall,
    }
  })
}

/** Questions about lines of a large result that the agent used later, with the longest words of the lines. */
export function laterUseCases(data: string, random: SeededRandom): readonly AnswerCase[] {
  const sessions = readEntries(join(data, 'more/transcripts/index.json')) as readonly SessionEntry[]
  const isUnseen = (id: string): boolean =>
    sessions.some((one) => id.startsWith(one.id) && one.same_project_in_other_half !== true)
  const all = [join(data, 'more'), data]
    .flatMap((folder) => loadCases(folder, ['transcripts']) as LaterUseEntry[])
    .filter(({ text, gold }) => text.length >= MIN_CHARACTERS && gold.units.length > 0)
  return drawByGroup(all, { random, perGroup: 4, most: MOST }).map(({ id, group, text, toolName, toolInput, gold }) => {
    // The agent does not know the line, but knows words of what it wrote next.
    const asked = [...new Set(gold.units.flatMap((unit) => words(unit)))]
      .filter((word) => word.length >= 5)
      .toSorted((one, other) => other.length - one.length)
      .slice(0, 4)
      .join(' ')
    const places = joinNear(gold.units.map((unit) => lineWith(text, unit)))
    const draft = {
      id: `${id}#later-use`,
      kind: 'later-use',
      group,
      origin: isUnseen(id) ? 'unseen' : 'development',
      results: [{ text, contentType: 'text/plain', toolName, toolInput }],
      question: `What is there about ${asked}?`,
      asks: { form: 'words', words: asked },
      lines: [places],
    } as const
    return linesCase(draft, gold.units)
  })
}

/** Tables of the data. Rules were written with knowledge of these tables. */
export function developmentTables(data: string): readonly Table[] {
  return (loadCases(data, ['csv', 'sql']) as TableEntry[]).flatMap(({ id, group, text, contentType }) => {
    const [columns = [], ...rows] = readRows(text, contentType.includes('tab') ? '\t' : ',')
    const fitting = rows.filter(({ length }) => length === columns.length)
    return [{ id, group, origin: 'development', text, contentType, columns, rows: fitting }]
  })
}

/** Questions about a field of a record in the output of a command. Rules were written for all commands in the data. */
export function commandCases(data: string, random: SeededRandom): readonly AnswerCase[] {
  return (readEntries(join(data, 'commands/index.json')) as readonly CommandEntry[]).flatMap((entry) => {
    const text = readFileSync(join(data, 'commands', entry.file), 'utf8')
    const lines = text.split('\n')
    const facts = (entry.facts ?? []).flatMap((fact) => {
      const row = lines.findIndex(
        (line) => line.includes(String(fact.where_value)) && line.includes(String(fact.answer)),
      )
      return row < 0 || String(fact.answer).length < 2 ? [] : [{ ...fact, row }]
    })
    if (text.length < MIN_CHARACTERS || facts.length === 0) return []
    const { where_field, where_value, asked_field, answer, row } = random.of(entry.id).pick(facts)
    const [key, cell] = [String(where_value), String(answer)]
    const draft = {
      id: `${entry.id}#command-cell`,
      kind: 'command-cell',
      group: entry.group,
      origin: 'development',
      results: [{ text, contentType: 'text/plain', toolName: 'bash' }],
      question: `Where ${where_field} is ${key}, what is ${asked_field}?`,
      asks: { form: 'cell', keyColumn: where_field, key, field: asked_field },
      lines: [[[row + 1, row + 1]]],
    } as const
    return [cellCase(draft, { row: (lines[row] ?? '').trim(), key, cell })]
  })
}

/** Questions about definitions of names in the files of `code/`, in languages that no installed package has. */
export function codeCases(data: string, random: SeededRandom): readonly AnswerCase[] {
  return (loadCases(data, ['code']) as CodeEntry[]).flatMap(({ id, group, text, toolInput, gold }) => {
    const once = gold.placed.filter(({ lines }) => lines.length === 1)
    if (text.length < MIN_CHARACTERS || once.length === 0) return []
    const { name, lines } = random.of(id).pick(once)
    const line = lines[0] ?? 1
    const draft = {
      id: `${id}#code-symbol`,
      kind: 'code-symbol',
      group,
      origin: 'development',
      results: [{ text, contentType: 'text/plain', toolName: 'read_file', toolInput }],
      question: `On which line is ${name} defined?`,
      asks: { form: 'word', word: name },
      lines: [[[line, line]]],
    } as const
    return [placeCase(draft, name, line)]
  })
}

interface LogEntry {
  readonly id: string
  readonly group: string
  readonly file: string
  readonly question: string
  readonly project_in_dev: boolean
  readonly gold: { readonly line_ranges?: readonly (readonly [number, number])[] }
}

interface LoadedEntry {
  readonly id: string
  readonly group: string
  readonly text: string
  readonly toolName: string
  readonly toolInput?: unknown
}

type PageEntry = LoadedEntry & { readonly gold: { readonly with: readonly string[] | null } }
type LaterUseEntry = LoadedEntry & { readonly gold: { readonly units: readonly string[] } }
type CodeEntry = LoadedEntry & {
  readonly gold: { readonly placed: readonly { readonly name: string; readonly lines: readonly number[] }[] }
}

interface SessionEntry {
  readonly id: string
  readonly same_project_in_other_half?: boolean
}

type TableEntry = LoadedEntry & { readonly contentType: string }

interface CommandEntry {
  readonly id: string
  readonly group: string
  readonly file: string
  readonly facts?: readonly {
    readonly where_field: string
    readonly where_value: string | number
    readonly asked_field: string
    readonly answer: string | number
  }[]
}

function lineWith(text: string, part: string): number {
  const at = text.indexOf(part.slice(0, 40))
  return at < 0 ? 1 : text.slice(0, at).split('\n').length
}

/** Read a list; an absent file has no entries. */
const readEntries = (path: string): readonly unknown[] =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as readonly unknown[]) : []
