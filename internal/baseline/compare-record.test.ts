import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareRecord } from './compare-record.ts'
import { readFolder } from './inputs.ts'
import { baselineFolder } from './read-data.ts'
import { recordBaseline, type RecordedFile } from './record-baseline.ts'

let folder: string
let files: readonly RecordedFile[]
const record = (): Promise<RecordedFile[]> => Array.fromAsync(recordBaseline(readFolder(join(folder, 'data'))))
const compare = (): Promise<string[]> =>
  Array.fromAsync(compareRecord(join(folder, 'record'), recordBaseline(readFolder(join(folder, 'data')))))

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spillway-baseline-'))
  const log = Array.from({ length: 3_000 }, (_, line) => `12:00:00 INFO request ${line} answered in ${line % 90} ms`)
  const users = Array.from({ length: 400 }, (_, id) => ({ id, name: `user ${id}`, address: `user${id}@example.com` }))
  await write('data/logs/build.log', log.join('\n'))
  await write('data/json/users.json', JSON.stringify(users))
  await write('data/csv/short.csv', 'id,name\n1,one\n')
  files = await record()
  for (const { path, text } of files) await write(`record/${path}`, text)
})

afterAll(() => rm(folder, { recursive: true }))

describe('a record of the baseline', () => {
  it('has previews, answers, and fields of each large input', () => {
    const paths = files.map(({ path }) => path)
    for (const kind of ['previews/1000', 'previews/250', 'answers', 'fields'])
      for (const input of ['logs/build.log', 'json/users.json', 'json/users.json.block'])
        expect(paths).toContain(`${kind}/${input}`)
    expect(paths.filter((path) => path.endsWith('csv/short.csv'))).toEqual(['fields/csv/short.csv'])
  })

  it('has answers of every mode of the retrieval tool', () => {
    const fields = files.filter(({ path }) => path.startsWith('fields/')).map(({ text }) => text)
    const modes = [...fields.join('').matchAll(/"mode":"([a-z-]+)"/g)].map(([, mode]) => mode)
    const known = 'bytes count full head invalid json-path pattern query range scope-pattern scope-query sql'
    expect([...new Set(modes)].toSorted()).toEqual(known.split(' '))
  })

  it('is refused inside the repository', () => {
    expect(() => baselineFolder(import.meta.dirname)).toThrow('inside the repository')
    expect(() => baselineFolder(undefined)).toThrow('No folder given')
    expect(baselineFolder(folder)).toBe(folder)
  })
})

describe('a comparison of baselines', () => {
  it('finds no difference if nothing changed', async () => {
    expect(await compare()).toEqual([])
  })

  it('names the files that differ, and their first different line', async () => {
    const path = 'previews/250/logs/build.log'
    const text = await readFile(join(folder, 'record', path), 'utf8')
    const [first = '', second = ''] = text.split('\n')
    await write(`record/${path}`, text.replace(second, 'another line'))
    await rm(join(folder, 'record/answers/logs/build.log'))
    await write('record/answers/logs/gone.log', '')
    expect(first).not.toBe('')
    expect((await compare()).toSorted()).toEqual([
      'answers/logs/build.log: is not in the record',
      'answers/logs/gone.log: is only in the record',
      `${path}:2\n  - another line\n  + ${second.slice(0, 200)}`,
    ])
  })

  it('fails without a record', async () => {
    const empty = Array.fromAsync(compareRecord(join(folder, 'data'), recordBaseline([])))
    await expect(empty).rejects.toThrow('no record')
  })
})

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}
