import { formatCount } from '@spillway/text/internal'
import { jsonLayout, type JsonLayout } from '@spillway/text/internal/json'
import { TooManySelected, type Segment } from '@spillway/text/internal/json-path'
import type { ContentSource } from '../../content/content-source.ts'
import { editDistance } from '../closest-names.ts'
import { assertText, answerContent } from '../open-content.ts'
import { RetrievalError, type RetrievalCall, type RetrievalContext } from '../retrieval-tool.ts'
import { abridge, oneLine, quote, unitsFor } from '../show-hits.ts'
import {
  describeShape,
  examplePath,
  pathWithin,
  readJsonPath,
  readShape,
  type JsonShape,
  type ReadPath,
} from './json-shape.ts'
import {
  MAX_BUILT_BYTES,
  selectJson,
  WorkPace,
  WorkTimeout,
  type SelectedValue,
  type Selection,
} from './select-json.ts'
import { readResults, writeResults, type ResultView } from './write-results.ts'

const MS_PER_MILLION_BYTES = 60
const LEAST_UNITS_OF_A_RESULT = 8

/** Throws `too-large` for a selection within a value of over 16 MiB. */
export async function answerJsonPath(request: JsonPathRequest, context: RetrievalContext): Promise<string> {
  return await answerContent(request.reference, context, {}, async (source, limited) => {
    assertText(source)
    const deadlineMs = context.deadlineMs + (source.size / 1e6) * MS_PER_MILLION_BYTES
    const pace = new WorkPace(deadlineMs, context.signal, context.storage.caller)
    const layout = await jsonLayout(source)
    const path = await readJsonPath(request.path, source, layout, pace)
    try {
      return await new Answer(request, path, source, layout, pace, limited).write()
    } catch (error) {
      throw explainFailure(error, path)
    }
  })
}

function explainFailure(error: unknown, { text }: ReadPath): unknown {
  if (error instanceof WorkTimeout) return tookTooLong(text)
  if (error instanceof TooManySelected) {
    return new RetrievalError('too-large', `${quotePath(text)} selects too many values. Select fewer of them at once.`)
  }
  return error
}

function tookTooLong(path: string): RetrievalError {
  const message = `${quotePath(path)} took longer than it may. Start from a narrower path, with names and indexes before any filter or "..".`
  return new RetrievalError('pattern-timeout', message)
}

class Answer {
  readonly #request: JsonPathRequest
  readonly #path: ReadPath
  readonly #source: ContentSource
  readonly #layout: JsonLayout
  readonly #pace: WorkPace
  readonly #context: RetrievalContext

  constructor(
    request: JsonPathRequest,
    path: ReadPath,
    source: ContentSource,
    layout: JsonLayout,
    pace: WorkPace,
    context: RetrievalContext,
  ) {
    this.#request = request
    this.#path = path
    this.#source = source
    this.#layout = layout
    this.#pace = pace
    this.#context = context
  }

  async write(): Promise<string> {
    const { countOnly, after } = this.#request
    const most = Math.ceil(unitsFor(this.#context) / LEAST_UNITS_OF_A_RESULT)
    const keep = countOnly ? 0 : most
    const options = { layout: this.#layout, skip: after, keep, enough: Infinity, pace: this.#pace }
    const selection = await selectJson(this.#source, this.#path.segments, options)
    if (selection.count === 0) return await this.#writeNothing(selection)
    const header = [`[${describeSelection(selection, this.#request, this.#path.text)}]`, ...this.#notes(selection)]
    const isBeyond = selection.count <= after
    if (countOnly || isBeyond || keep === 0) return header.join('\n')
    const views = await readResults(this.#source, selection.values, unitsFor(this.#context), this.#pace)
    const frame = {
      header: header.join('\n'),
      more: (shown: number) => this.#more(after + shown, selection),
      cut: (view: ResultView, next: number) => this.#cut(view, next),
    }
    return writeResults(views, frame, this.#context)
  }

  #call(call: Omit<RetrievalCall, 'reference'>): string {
    return this.#context.formatCall({ reference: this.#request.reference, ...call })
  }

  #more(next: number, { count, ended }: Selection): string | undefined {
    const { after } = this.#request
    if (next >= count) return undefined
    const all = ended.by === 'all' || ended.by === 'failure' ? ` of ${formatCount(count)}` : ''
    const call = this.#call({ json_path: this.#path.text, after: next })
    return `[Shown: results ${formatCount(after + 1)}-${formatCount(next)}${all}. To continue: ${call}]`
  }

  #cut({ path, end, partPath }: ResultView, next: number): string {
    const isUsable = !path.endsWith('…')
    const part = isUsable && partPath !== path ? ` To see a part of it: ${this.#call({ json_path: partPath })}.` : ''
    return `[Cut.${part} To continue: ${this.#call({ byte_range: { start: next + 1, end } })}]`
  }

  #notes({ ended, skippedLines }: Selection): string[] {
    const notes: string[] = []
    if (this.#layout.form === 'json-lines') {
      notes.push('[This content is JSON Lines: $[0] is its first value, $[*].name the name of each.]')
    }
    if (skippedLines > 0) {
      const lines = skippedLines === 1 ? 'line that is no JSON was' : 'lines that are no JSON were'
      notes.push(`[${formatCount(skippedLines)} ${lines} passed over.]`)
    }
    if (ended.by === 'failure') notes.push(`[${this.#sayFailure(ended.at)}]`)
    if (ended.by === 'timeout') {
      const share = Math.floor((ended.at / this.#source.size) * 100)
      notes.push(`[The time was spent at ${share} % of the content: there may be more. A narrower path may find it.]`)
    }
    if (ended.by === 'too-large') {
      notes.push(`[${quotePath(ended.path)} is too large to select something within it: there may be more.]`)
    }
    return notes
  }

  #sayFailure(at: number): string {
    const isEnd = at >= this.#source.size
    return isEnd
      ? 'The JSON breaks off at the end of the content.'
      : `The content stops being JSON at byte ${formatCount(at + 1)}, and was read no further.`
  }

  async #writeNothing(selection: Selection): Promise<string> {
    const { ended } = selection
    if (ended.by === 'failure') throw this.#notJson(ended.at)
    if (ended.by === 'timeout') throw tookTooLong(this.#path.text)
    if (ended.by === 'too-large') throw await this.#tooLarge(ended.path)
    const header = [`[0 results for ${quotePath(this.#path.text)}]`, ...this.#notes(selection)]
    const options = { layout: this.#layout, pace: this.#pace }
    return [...header, ...(await explainNothing(this.#source, this.#path, options, this.#context))].join('\n')
  }

  #notJson(at: number): RetrievalError {
    const { contentType, size, reference } = this.#source
    const what = `This content (${abridge(contentType, 80)}, ${formatCount(size)} bytes)`
    const message =
      at - this.#layout.start < 3
        ? `${what} is no JSON. Search it by a pattern, or read its lines:`
        : `${what} is no whole JSON, and nothing was found before the fault. ${this.#sayFailure(at)} Search it by a pattern, or read its lines:`
    return new RetrievalError('not-json', message, { call: { reference, line_range: { start: 1, end: 50 } } })
  }

  async #tooLarge(path: string): Promise<RetrievalError> {
    const text = this.#path.text
    const example = await examplePath(this.#source, this.#layout, this.#pace)
    const isRoot = path === '$'
    const message =
      `${quotePath(text)} must look at all of ${isRoot ? 'the content' : quotePath(path)}, which is possible up to ` +
      `${formatCount(MAX_BUILT_BYTES)} bytes or 4,000,000 values. Names, indexes, slices, [*] and filters that use only @ ` +
      'work at any size: begin with them. For example:'
    return new RetrievalError('too-large', message, {
      call: { reference: this.#request.reference, json_path: example },
    })
  }
}

function describeSelection({ count }: Selection, { after }: JsonPathRequest, path: string): string {
  const shown = quotePath(path)
  const results = `${formatCount(count)} ${count === 1 ? 'result' : 'results'}`
  if (count <= after) return `${results} for ${shown}: none is left after the first ${formatCount(after)}`
  return `${results} for ${shown}`
}

const MAX_WRONG_LETTERS = 2
const MAX_COMPARED_UNITS = 60
const SHOWN_UNITS = 160

/** Empty if finding out takes too long. */
async function explainNothing(
  source: ContentSource,
  { segments }: ReadPath,
  options: { readonly layout: JsonLayout; readonly pace: WorkPace },
  context: RetrievalContext,
): Promise<string[]> {
  const { layout, pace } = options
  try {
    let found: SelectedValue = { path: '$', start: layout.start, end: source.size }
    let reached = 0
    for (; reached < segments.length; reached++) {
      const part = segments.slice(0, reached + 1)
      const [value] = (await selectJson(source, part, { layout, skip: 0, keep: 1, enough: 1, pace })).values
      if (value === undefined) break
      found = value
    }
    const isRoot = found.path === '$' && reached === 0
    const shape = await readShape(source, isRoot ? { ...found, form: layout.form } : found, pace)
    const missing = segments[reached]
    if (shape === undefined || missing === undefined) return []
    const notes = [`[${quotePath(found.path)} is ${describeShape(shape)}.${explain(missing, shape)}]`]
    const elsewhere = await findElsewhere(source, missing, options)
    if (elsewhere !== undefined) {
      const call = context.formatCall({ reference: source.reference, json_path: elsewhere })
      return [...notes, `[Elsewhere there is one: ${call}]`]
    }
    const example = pathWithin(found.path, shape)
    const call = context.formatCall({ reference: source.reference, json_path: example })
    return example === found.path ? notes : [...notes, `[For example: ${call}]`]
  } catch (error) {
    if (error instanceof WorkTimeout) return []
    throw error
  }
}

async function findElsewhere(
  source: ContentSource,
  { descends, selectors, position }: Segment,
  { layout, pace }: { readonly layout: JsonLayout; readonly pace: WorkPace },
): Promise<string | undefined> {
  if (descends || selectors.length !== 1 || selectors[0]?.type !== 'name') return undefined
  const anywhere = [{ descends: true, selectors, position }]
  const found = await selectJson(source, anywhere, { layout, skip: 0, keep: 1, enough: 1, pace })
  const path = found.values[0]?.path
  return path?.endsWith('…') === true ? undefined : path
}

function explain({ descends, selectors }: Segment, shape: JsonShape): string {
  const [selector] = selectors
  if (selector === undefined || selectors.length > 1) return ''
  if (selector.type === 'filter') {
    return descends ? ' Nothing within it passes the filter.' : ' Nothing directly in it passes the filter.'
  }
  if (selector.type !== 'name') return ''
  const name = quote(selector.name.text, MAX_COMPARED_UNITS)
  if (descends) return ` Nothing within it has the key ${name}.`
  if (shape.kind === 'array')
    return ` The items of an array are selected by [0], [*] or a filter, and then .${selector.name.text}.`.slice(
      0,
      SHOWN_UNITS,
    )
  const similar = similarKey(selector.name.text, shape.keys)
  return similar === undefined ? ` It has no key ${name}.` : ` It has no key ${name}, but ${quote(similar)}.`
}

function similarKey(name: string, keys: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED_UNITS) return undefined
  const wanted = name.toLowerCase()
  const [best] = keys
    .filter((key) => key.length <= MAX_COMPARED_UNITS)
    .map((key) => ({ key, wrong: editDistance(wanted, key.toLowerCase()) }))
    .filter(({ wrong }) => wrong <= MAX_WRONG_LETTERS && wrong < wanted.length)
    .toSorted((one, other) => one.wrong - other.wrong)
  return best?.key
}

function quotePath(path: string): string {
  const shown = oneLine(path)
  return shown.length > SHOWN_UNITS ? `${shown.slice(0, SHOWN_UNITS).toWellFormed()}…` : shown
}

export interface JsonPathRequest {
  readonly mode: 'json-path'
  readonly reference: string
  /** An expression of RFC 9535. */
  readonly path: string
  readonly after: number
  readonly countOnly: boolean
}
