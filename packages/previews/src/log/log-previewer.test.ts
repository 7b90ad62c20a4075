import { describe, expect, it } from 'vitest'
import { previewWith, subjectOf } from '../../test/preview-with.ts'
import { logPreviewer, logSureness } from './log-previewer.ts'

const sureness = (lines: readonly string[]): number => logSureness(subjectOf(lines.join('\n')))
const times = (line: (index: number) => string): string[] => Array.from({ length: 40 }, (_, index) => line(index))

describe('logSureness', () => {
  it.each([
    ['with times and levels', (index: number) => `2024-03-03 09:15:02,120 INFO step ${index}`, 0.9],
    ['of syslog', (index: number) => `Mar  3 09:15:02 host app[${index}]: went on`, 0.7],
    ['of logfmt', (index: number) => `ts=${index} level=info msg=step`, 0.7],
    ['of CI', (index: number) => `2024-03-03T09:15:02.1201234Z step ${index}`, 0.7],
  ])('is high for lines %s', (_, line, least) => {
    expect(sureness(times(line))).toBeGreaterThanOrEqual(least)
  })

  it('is at least medium if the text has an exit code', () => {
    expect(sureness([...times((index) => `step ${index}`), 'The command "make" exited with 2.'])).toBeGreaterThan(0.6)
  })

  it.each([
    ['source code', (index: number) => `  const value${index} = read(${index})`],
    ['a table', (index: number) => `${index},2024-03-03,ada`],
    ['rows of data', (index: number) => `{"id":${index},"name":"ada"}`],
    ['prose', () => 'It was the best of times, it was the worst of times.'],
    ['paths', (index: number) => `src/errors/${index}.ts`],
  ])('is low for %s, which other previewers recognize', (_, line) => {
    expect(sureness(times(line))).toBeLessThan(0.1)
  })

  it('is low for an empty text', () => {
    expect(sureness([])).toBeLessThan(0.1)
  })
})

describe('logPreviewer', () => {
  const steps = Array.from({ length: 400 }, (_, index) => `${'abcdefgh'[index % 8]} step ${index} of the build`)
  const lines = [...steps.slice(0, 200), 'fatal: the disk is full', ...steps.slice(200), 'make: *** [all] Error 1']

  it('shows several lines of both ends of a text that is not a log', async () => {
    expect(await previewWith(logPreviewer(), lines.join('\n'))).toContain(steps[1])
  })

  it('shows two lines of both ends of a report with many errors, and not more', async () => {
    const problems = Array.from(
      { length: 60 },
      (_, index) => `error: ${'abc'[index % 3]} ${index % 7} is not in ${index % 5}`,
    )
    const report = [...steps.slice(0, 200), ...problems, ...steps.slice(200)].join('\n')
    const shown = await previewWith(logPreviewer(), report)
    for (const line of [...steps.slice(0, 2), ...steps.slice(-2)]) expect(shown).toContain(line)
    expect(shown).not.toContain(steps[2])
  })

  const previewOfFile = (path: string): Promise<string | undefined> =>
    previewWith(logPreviewer(), lines.join('\n'), {}, { intent: { paths: [path], words: [] } })

  it.each(['shelves.conf', 'src/shelves.rb'])(
    'ignores words for failures in configuration and code: %s',
    async (path) => {
      expect(await previewOfFile(path)).toContain(steps.slice(0, 6).join('\n'))
    },
  )

  it.each(['shelves.log', 'build/7.txt', 'out/shelves'])('finds failures in files of output: %s', async (path) => {
    expect(await previewOfFile(path)).not.toContain(steps[5])
  })

  it('does not show several lines of both ends of a log', async () => {
    const timed = lines.map((line, index) => `2024-03-03T09:15:02.${1_000 + index}Z ${line}`)
    expect(await previewWith(logPreviewer(), timed.join('\n'))).not.toContain(steps[1])
  })
})
