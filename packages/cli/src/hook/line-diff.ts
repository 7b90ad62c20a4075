/** Lines around a change that a diff shows. */
const CONTEXT = 3

/** Write what changes from one text to another as a unified diff; nothing where they are equal. */
export function lineDiff(before: string, after: string, name: string): string {
  if (before === after) return ''
  const [old, now] = [linesOf(before), linesOf(after)]
  const steps = stepsBetween(old, now)
  const shown = steps.map((_, at) =>
    steps.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  )
  const hunks: string[] = []
  for (let start = shown.indexOf(true); start !== -1;) {
    const found = shown.indexOf(false, start)
    const end = found === -1 ? steps.length : found
    hunks.push(writeHunk(steps, start, end))
    start = shown.indexOf(true, end)
  }
  return `--- ${before === '' ? '/dev/null' : name}\n+++ ${after === '' ? '/dev/null' : name}\n${hunks.join('')}`
}

interface Step {
  readonly mark: ' ' | '-' | '+'
  readonly line: string
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** The shortest way by lines that stay: settings are short, so all of the table fits. */
function stepsBetween(old: readonly string[], now: readonly string[]): readonly Step[] {
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      common[row]!.fill(
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1)),
        column,
        column + 1,
      )
  const steps: Step[] = []
  for (let row = 0, column = 0; row < old.length || column < now.length;) {
    const [line = '', other = ''] = [old[row], now[column]]
    if (row < old.length && column < now.length && line === other) {
      steps.push({ mark: ' ', line })
      row += 1
      column += 1
    } else if (row < old.length && (column >= now.length || at(row + 1, column) >= at(row, column + 1))) {
      steps.push({ mark: '-', line })
      row += 1
    } else {
      steps.push({ mark: '+', line: other })
      column += 1
    }
  }
  return steps
}

function writeHunk(steps: readonly Step[], start: number, end: number): string {
  const count = (from: number, to: number, left: Step['mark']): number =>
    steps.slice(from, to).filter(({ mark }) => mark !== left).length
  const range = (left: Step['mark']): string => {
    const length = count(start, end, left)
    return `${count(0, start, left) + (length === 0 ? 0 : 1)},${length}`
  }
  const lines = steps.slice(start, end).map(({ mark, line }) => `${mark}${line}\n`)
  return `@@ -${range('+')} +${range('-')} @@\n${lines.join('')}`
}
