import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askRedis } from './ask-redis.ts'
import { findRedis } from './find-redis.ts'
import { runProgram, type ProgramOutcome } from './run-program.ts'

const found = await findRedis()

const run = (cache: string, ...words: string[]): Promise<ProgramOutcome> =>
  runProgram(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], {
    env: { SPILLWAY_SERVICES_CACHE: cache, SPILLWAY_INSTALL_SERVICES: '0' },
  })

async function temporaryCache(): Promise<string> {
  const cache = await mkdtemp(join(tmpdir(), 'spillway-services-'))
  onTestFinished(async () => {
    await run(cache, 'stop')
    await rm(cache, { recursive: true })
  })
  return cache
}

describe('the services command', () => {
  test.skipIf(!found.available)('starts a service once, leaves it running, and stops it later', async () => {
    const cache = await temporaryCache()
    const started = await run(cache, 'start', 'redis')
    expect(started).toEqual({ exitCode: 0, output: expect.stringMatching(/^SPILLWAY_TEST_REDIS_URL=\S+\n$/) as string })
    const port = Number(/:(\d+)\n$/.exec(started.output)?.[1])
    expect(await askRedis(port, ['PING'])).toBe('PONG')
    expect(await run(cache, 'start', 'redis')).toEqual(started)
    expect(await run(cache, 'status')).toEqual(started)
    expect(await run(cache, 'stop')).toEqual({ exitCode: 0, output: '' })
    await expect(askRedis(port, ['PING'])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect((await run(cache, 'status')).output).toContain('No services run')
  })

  test('names the origin of a service', async () => {
    const { exitCode, output } = await run(await temporaryCache(), 'provision', 'redis')
    expect(exitCode).toBe(0)
    expect(output).toMatch(/^redis {10}(?:\S+, (?:installed|docker)|environment|will not run: .*)\n/)
  })

  test('rejects unknown arguments', async () => {
    const cache = await temporaryCache()
    expect(await run(cache, 'start', 'mysql')).toMatchObject({ exitCode: 2 })
    expect((await run(cache, 'begin')).output).toContain('Unknown: begin')
  })
})
