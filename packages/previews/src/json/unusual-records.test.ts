import { describe, expect, it } from 'vitest'
import { previewWith } from '../../test/preview-with.ts'
import { jsonPreviewer, ndjsonPreviewer } from './json-previewer.ts'

const repeat = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Return the lines about records with unusual values. */
async function unusualIn(document: unknown, indent?: number, budgetTokens = 600): Promise<string[]> {
  const text =
    indent === -1
      ? (document as unknown[]).map((record) => JSON.stringify(record)).join('\n')
      : JSON.stringify(document, undefined, indent)
  const previewer = indent === -1 ? ndjsonPreviewer() : jsonPreviewer()
  const lines = (await previewWith(previewer, [text], { budgetTokens }))!.split('\n')
  const records = lines.slice(lines.indexOf('[records with unusual values:]') + 1)
  const end = records.findIndex((line) => /^\[(?!\d)/.test(line))
  return records.length === lines.length ? [] : records.slice(0, end < 0 ? undefined : end)
}

const passed = (id: number) => ({ id, name: `test ${id} passes`, status: 'passed', message: '' })
const failed = (id: number) => ({ id, name: `test ${id} breaks`, status: 'failed', message: 'expected 2 to be 3' })

describe('records with unusual values in a preview of JSON', () => {
  it('are records in lists of any depth, with their path, name, and message', async () => {
    const files = repeat(12, (file) => ({
      file: `test-${file}.ts`,
      tests: repeat(14, (id) => (file === 7 && id === 9 ? failed(id) : passed(id))),
    }))
    expect(await unusualIn({ files })).toEqual([
      'files[7].tests[9]: id: 9, name: test 9 breaks, status: failed, message: expected 2 to be 3',
    ])
    expect(await unusualIn({ files }, 1)).toEqual([expect.stringMatching(/^\d+: files\[7\]\.tests\[9\]: id: 9, /)])
  })

  it('are members of maps', async () => {
    const services = Object.fromEntries(
      repeat(70, (id) => [`s-${id}`, id === 44 ? { status: 'DOWN', error: { text: 'no slots' } } : { status: 'UP' }]),
    )
    expect(await unusualIn({ services })).toEqual(['services.s-44: status: DOWN, error.text: no slots'])
  })

  it('have their key in a map with very many keys', async () => {
    const files = Object.fromEntries(
      repeat(300, (id) => [`f${id}`, { format: id === 244 ? 'esm' : 'cjs', parts: [{ bytes: id }] }]),
    )
    expect(await unusualIn({ files })).toEqual(['files.f244: format: esm'])
  })

  it('are JSON Lines, with the numbers of their lines', async () => {
    const records = repeat(2_000, (id) =>
      id === 1_234
        ? { level: 'error', msg: 'connect ECONNREFUSED 10.0.0.5:5432' }
        : { level: 'info', msg: `GET /users/${id} 200` },
    )
    expect(await unusualIn(records, -1, 120)).toEqual(['1235: level: error, msg: connect ECONNREFUSED 10.0.0.5:5432'])
  })

  it('are rows that are arrays, with the names of their columns', async () => {
    const rows = repeat(300, (id) => [`user ${id}`, id === 200 ? 504 : 200])
    expect(await unusualIn({ columns: ['user', 'code'], rows })).toEqual(['rows[200]: user: user 200, code: 504'])
  })

  it('may have a unique member, or an unusual value in a list', async () => {
    const issues = repeat(300, (id) => ({
      title: `Issue ${'abcdefghijklmnopqrstuvwxyz'[id % 26]!.repeat(4)}`,
      actions: id === 20 ? ['remove'] : ['keep'],
      ...(id === 137 ? { lockedBecause: 'spam' } : {}),
    }))
    expect(await unusualIn(issues)).toEqual([
      '[20]: title: Issue uuuu, actions: ["remove"]',
      '[137]: title: Issue hhhh, lockedBecause: spam',
    ])
  })

  it('include the first of many records that failed', async () => {
    const tests = repeat(100, (id) => (id % 3 === 0 ? failed(id) : passed(id)))
    expect((await unusualIn({ tests }))[0]).toMatch(/^tests\[0\]: id: 0, name: test 0 breaks, status: failed/)
  })

  it('are not found if no value is usual, if only measured numbers differ, or if nearly all records have the value', async () => {
    const colors = ['red', 'blue', 'green', 'gold', 'pink', 'gray', 'teal', 'navy']
    expect(await unusualIn(colors.map((color) => ({ color, size: 1 })))).toEqual([])
    expect(await unusualIn(repeat(90, (id) => ({ id, seconds: id === 50 ? 0.25 : 0 })))).toEqual([])
    expect(await unusualIn(repeat(90, (id) => ({ id, severity: 'error' })))).toEqual([])
    expect(await unusualIn({ compiler: { mode: 'error', strict: true }, other: { mode: 'warn' } })).toEqual([])
  })

  it('include the records around a record that failed, because these have the names', async () => {
    const jobs = repeat(8, (id) => ({
      name: `job ${id}`,
      state: id === 4 ? 'broken' : 'well',
      steps: repeat(10, (step) => ({
        title: `step number ${step}`,
        state: id === 4 && step === 6 ? 'failure' : 'fine',
      })),
    }))
    expect(await unusualIn({ jobs })).toEqual([
      'jobs[4]: name: job 4, state: broken',
      'jobs[4].steps[6]: title: step number 6, state: failure',
    ])
  })

  it('make the preview larger if records have words of failure', async () => {
    const size = (text: string) => {
      const subject = { contentType: 'text/plain', start: text, isWhole: true, toolName: '', input: {} }
      const reader = jsonPreviewer().read({ ...subject, intent: { paths: [], words: [] } })
      reader.push(text)
      void reader.finish({ ...subject, intent: { paths: [], words: [] } })
      return reader.usualTokens!
    }
    const usual = size(JSON.stringify(repeat(99, passed)))
    expect(size(JSON.stringify(repeat(99, (id) => (id === 50 ? failed(id) : passed(id)))))).toBeGreaterThan(usual)
  })
})
