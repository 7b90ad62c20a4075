import { isDeepStrictEqual } from 'node:util'
import { applyEdits, modify, parseTree, type Node } from 'jsonc-parser'
import { settingsRefused } from './settings-file.ts'

export interface Addition {
  /** Keys that lead to the value, such as `['hooks', 'PostToolUse']`. */
  readonly path: readonly string[]
  /** Key of the value. If absent, the value is added to a list. */
  readonly key?: string
  readonly value: unknown
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Add values to a settings file, or an empty text. Throws a {@link CliError} if it is invalid. */
export function addToSettings(text: string, change: readonly Addition[], place: string): string {
  let changed = text.trim() === '' ? '{}\n' : text
  for (const { path, key, value } of change) {
    for (const depth of path.keys()) {
      const node = findNode(changed, path.slice(0, depth + 1), place)
      const type = depth === path.length - 1 && key === undefined ? 'array' : 'object'
      if (node !== undefined && node.type !== type) {
        const where = path.slice(0, depth + 1).join('.')
        throw settingsRefused(`${place} has an unexpected type of value at ${where}. Correct it by hand.`)
      }
    }
    const isThere =
      key === undefined
        ? listInSettings(changed, path, place).some((item) => isDeepStrictEqual(item, value))
        : findNode(changed, [...path, key], place) !== undefined
    if (!isThere) changed = edit(changed, [...path, key ?? -1], value)
  }
  return changed
}

/** Remove values, and parents that are empty afterwards. Parents that exist in the text `before` stay. */
export function removeFromSettings(text: string, change: readonly Addition[], before: string, place: string): string {
  let changed = text
  for (const { path, key, value } of change.toReversed()) {
    const last = key ?? listInSettings(changed, path, place).findIndex((item) => isDeepStrictEqual(item, value))
    if (last === -1) continue
    if (key !== undefined && !isDeepStrictEqual(memberInSettings(changed, [...path, key], place), value)) continue
    changed = edit(changed, [...path, last], undefined)
    for (let depth = path.length; depth > 0; depth -= 1) {
      const way = path.slice(0, depth)
      if (findNode(changed, way, place)?.children?.length !== 0 || findNode(before, way, place) !== undefined) break
      changed = edit(changed, way, undefined)
    }
  }
  return changed
}

/** Return a list of a settings file; empty if the list is missing. */
export function listInSettings(text: string, path: readonly string[], place: string): readonly unknown[] {
  const value = memberInSettings(text, path, place)
  return Array.isArray(value) ? value : []
}

/** Return a member of a settings file; `undefined` if the member is missing. */
export function memberInSettings(text: string, path: readonly string[], place: string): unknown {
  const node = findNode(text, path, place)
  return node && (JSON.parse(bodyOf(text).slice(node.offset, node.offset + node.length)) as unknown)
}

/** Edit a JSON text. Indentation and line ends do not change. */
function edit(text: string, path: readonly (string | number)[], value: unknown): string {
  const body = bodyOf(text)
  const unit = /^\s*\{\r?\n([ \t]+)"/.exec(body)?.[1] ?? '  '
  const formattingOptions = {
    insertSpaces: !unit.includes('\t'),
    tabSize: unit.includes('\t') ? 1 : unit.length,
    eol: body.includes('\r\n') ? '\r\n' : '\n',
  }
  const edits = modify(body, [...path], value, { formattingOptions, isArrayInsertion: value !== undefined })
  return text.slice(0, text.length - body.length) + applyEdits(body, edits)
}

function findNode(text: string, path: readonly string[], place: string): Node | undefined {
  let node = text.trim() === '' ? undefined : readSettings(bodyOf(text), place)
  for (const name of path) {
    const members = node?.type === 'object' ? (node.children ?? []) : []
    const same = members.filter(({ children }) => children?.[0]?.value === name)
    if (same.length > 1) throw settingsRefused(`${place} has ${path.join('.')} more than once: remove all but one.`)
    node = same[0]?.children?.[1]
  }
  return node
}

/** Read settings. Refuses comments, because Claude Code allows none, and some hosts would remove them. */
function readSettings(text: string, place: string): Node | undefined {
  let settings: unknown
  try {
    settings = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const why = /\/\/|\/\*|,\s*[}\]]/.test(text) ? ' Comments and trailing commas are not allowed.' : ''
    throw settingsRefused(`${place} is not JSON (${error.message}), and was not changed.${why} Correct it by hand.`)
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw settingsRefused(`${place} is not a JSON object, and was not changed. Correct it by hand.`)
  return parseTree(text)
}

function bodyOf(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}
