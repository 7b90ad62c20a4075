import { wordColumns, type LineColumns } from './line-columns.ts'

/** Lines of one kind that have no header: what they are and where their cells stand. */
export interface RecordForm {
  /** What the lines are, as the first line of a preview says it. */
  readonly kind: string
  readonly columns: LineColumns
  /** Lines of this form. Looks at no more than a bounded start of each line. */
  readonly fits: (line: string) => boolean
  /** Whether the lines together are of this form, beside each of them. */
  readonly agrees?: (lines: readonly string[]) => boolean
  /** Whether the first cell is a size, of which the largest tell most. */
  readonly largest?: boolean
  readonly sureness: number
}

/** The forms, the most telling first: each is what a program prints, one record on a line. */
export const RECORD_FORMS: readonly RecordForm[] = [
  {
    // git log --oneline, git rev-list --oneline
    kind: 'commits',
    columns: wordColumns(2, ['commit', 'subject']),
    fits: (line) => /^(?:[*|/\\ ]{0,40}\* )?[\da-f]{7,40} \S/.test(line),
    agrees: (lines) => lines.some((line) => /[a-f]/.test(line.slice(0, 7))) && mayRepeat(firstWords(lines), 0.02),
    sureness: 0.9,
  },
  {
    // history of bash: two blanks stand behind the number
    kind: 'history',
    columns: wordColumns(2, ['number', 'command']),
    fits: (line) => /^ {0,10}\d{1,9}[* ] \S/.test(line),
    agrees: (lines) => follow(firstWords(lines).map(Number)),
    sureness: 0.85,
  },
  {
    // git status --short, git diff --name-status
    kind: 'changed files',
    columns: wordColumns(2, ['status', 'path']),
    fits: (line) => /^(?:[MADRCUT?!][ MADRCUT?!]|[ ][MADRCUT]) \S|^[MADTU]\t\S|^[RC]\d{1,3}\t\S/.test(line),
    sureness: 0.85,
  },
  {
    // du
    kind: 'sizes',
    columns: wordColumns(2, ['size', 'path']),
    fits: (line) => /^\d+(?:\.\d+)?[KMGTP]?\t\S/.test(line),
    agrees: (lines) => lines.filter((line) => line.includes('/')).length > lines.length * 0.5,
    largest: true,
    sureness: 0.85,
  },
  {
    // wc -l, uniq -c
    kind: 'counts',
    columns: wordColumns(2, ['count', 'what']),
    fits: (line) => /^ {0,20}\d{1,15} \S/.test(line),
    agrees: (lines) => lines.some((line) => line.startsWith(' ')) && !isAscending(firstWords(lines).map(Number)),
    largest: true,
    sureness: 0.7,
  },
  {
    // md5sum, sha256sum
    kind: 'digests',
    columns: wordColumns(2, ['digest', 'path']),
    fits: (line) => /^[\da-f]{32,128} [ *]\S/.test(line),
    sureness: 0.9,
  },
  {
    // apt list
    kind: 'packages',
    columns: wordColumns(4, ['package', 'version', 'architecture', 'state'], [], 3),
    fits: (line) => /^[a-z\d][\w.+-]{1,127}\/\S{1,255} \d\S{0,127} [a-z]\w{2,15}(?: \[|$)/.test(line),
    sureness: 0.9,
  },
  {
    // /proc/<pid>/maps, /proc/vmallocinfo, /proc/iomem
    kind: 'memory',
    columns: wordColumns(3, ['addresses', 'size or mode', 'what']),
    fits: (line) => /^ {0,20}(?:0x)?[\da-f]{6,16}-(?:0x)?[\da-f]{6,16} +\S+ +\S/.test(line),
    sureness: 0.85,
  },
  // env, printenv, *.properties; sysctl -a of Linux; key: value
  valuesForm(/^[A-Za-z_][\w.@/%-]{0,127}=/, ''),
  valuesForm(/^[A-Za-z_][\w.@/%-]{0,127} = /, ' '),
  valuesForm(/^[A-Za-z_][\w.@/%-]{0,127}:(?=\s|$)/, ' '),
]

/** Values that each have a name of their own. */
function valuesForm(pair: RegExp, separator: string): RecordForm {
  return {
    kind: 'values',
    columns: pairColumns(separator),
    fits: (line) => pair.test(line),
    agrees: (lines) =>
      mayRepeat(
        lines.map((line) => line.split(/[=:]/, 1).join('')),
        0.1,
      ),
    sureness: 0.6,
  }
}

/** A name with the equals sign or colon behind it, and its value. */
function pairColumns(separator: string): LineColumns {
  const find = (codes: Uint16Array, start: number, end: number, bounds: Int32Array): number => {
    let at = start
    while (at < end && codes[at] !== 61 && codes[at] !== 58) at++
    if (at === end) return 0
    const nameEnd = ++at
    while (at < end && (codes[at] === 32 || codes[at] === 9)) at++
    bounds[0] = start
    bounds[1] = nameEnd
    bounds[2] = at
    bounds[3] = end
    return 2
  }
  return { names: ['name', 'value'], columns: 2, separator, find }
}

function firstWords(lines: readonly string[]): string[] {
  return lines.map((line) => line.trimStart().split(/[* ]/, 1).join(''))
}

/** Whether at most this share of the texts repeats others. */
function mayRepeat(texts: readonly string[], share: number): boolean {
  return new Set(texts).size >= texts.length * (1 - share)
}

/** Whether each number is greater than the one before it, as those of lines are. */
function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > numbers[index - 1]!)
}

/** Whether numbers count up. */
function follow(numbers: readonly number[]): boolean {
  return (
    numbers.filter((number, index) => index === 0 || number === numbers[index - 1]! + 1).length > numbers.length * 0.9
  )
}
