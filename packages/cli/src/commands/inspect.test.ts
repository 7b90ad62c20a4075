import { ContextOffloader, type TokenTotals } from '@spillway/core'
import { FileJournal, FileStorage } from '@spillway/file'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServe } from '../../test/serve/start-serve.ts'
import { BIN, numbered, put, spillway, start, temporaryFolder } from '../../test/spillway.ts'

/** Send a request with the token to the inspector at a URL, as the page does. */
async function askAt(url: string, path: string, body?: object): Promise<unknown> {
  const opened = await fetch(url, { redirect: 'manual' })
  expect(opened.status).toBe(303)
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
  const headers = { cookie, 'x-spillway-inspector': '1', 'content-type': 'application/json' }
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
  return await (await fetch(new URL(path, url), init)).json()
}

it('inspect prints the URL of a page that shows the scope with commands, until it is stopped', async () => {
  const cwd = temporaryFolder()
  const reference = await put('one\ntwo\n', cwd, ['--scope', 'tenant/session'])
  await put('other', cwd, ['--scope', 'tenant-2'])
  const { child, end } = start(process.execPath, [BIN, 'inspect', '--no-open', '--scope', 'tenant'], { cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [printed] = (await once(child.stdout!, 'data')) as [Buffer]
  const url = printed.toString().trim()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{48}$/)
  expect(await askAt(url, 'api/entries')).toMatchObject({ entries: [{ reference, scope: 'session' }] })
  const input = { reference, pattern: 'two' }
  const { command } = (await askAt(url, 'api/retrieve?scope=session', input)) as { readonly command: string }
  expect(command).toBe(`spillway get ${reference} --scope tenant --scope session --pattern two`)
  const shown = await spillway(command.split(' ').slice(1), { cwd })
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('two') })
  child.kill('SIGTERM')
  expect(await end).toMatchObject({ code: 0, stderr: '' })
})

it('inspect and stats --tokens show the totals of the meter, without the tokens that retrievals cost', async () => {
  const cwd = temporaryFolder()
  const folder = join(cwd, 'store')
  const journal = new FileJournal(join(folder, '.journal'))
  const offloader = new ContextOffloader({ storage: new FileStorage(folder), journal })
  const session = offloader.forScope('a')
  const offload = async (toolName: string, lines: number): Promise<string> => {
    const content = [{ type: 'text', text: numbered(lines) } as const]
    const outcome = await session.offload({ toolName, toolCallId: toolName, content })
    return outcome.status === 'offloaded' ? outcome.stored[0]!.reference : ''
  }
  const reference = await offload('read', 3_000)
  await session.retrievalTool.execute({ reference, pattern: 'line 7' })
  // A replayed call, another result, a search in all results, and a reference that does not exist.
  await offload('read', 3_000)
  await offload('list', 4_000)
  await session.retrievalTool.execute({ reference, line_range: { start: 1, end: 5 } })
  await session.retrievalTool.execute({ pattern: 'line 1' })
  await session.retrievalTool.execute({ reference: 'invented' })
  await journal.close()
  const { offloaded, tokensAvoided, tokensShown, tokensRetrieved, tokensNet, retrievals, bounceRate } =
    offloader.meter()
  const meter = { offloaded, tokensAvoided, tokensShown, tokensRetrieved, tokensNet, retrievals, bounceRate }
  expect(meter).toMatchObject({ offloaded: 3, retrievals: 4, bounceRate: 2 / 3 })
  const store = ['--store', 'file:./store']
  const stats = await spillway(['stats', '--tokens', '--by', 'tool', '--json', ...store], { cwd })
  const { total, groups } = JSON.parse(stats.stdout) as { total: TokenTotals; groups: readonly TokenTotals[] }
  expect(total).toMatchObject(meter)
  expect(groups.reduce((sum, group) => sum + group.tokensNet, 0)).toBe(meter.tokensNet)
  const { child } = start(process.execPath, [BIN, 'inspect', '--no-open', ...store], { cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [printed] = (await once(child.stdout!, 'data')) as [Buffer]
  const report = (await askAt(printed.toString().trim(), 'api/meter')) as {
    readonly total: TokenTotals
    readonly others: readonly { readonly setting: string; readonly value: number; readonly tokensNet: number }[]
  }
  expect(report.total).toEqual(meter)
  // For the current value of the setting, the report predicts what was measured.
  const inForce = report.others.find(({ setting, value }) => setting === 'maxResultTokens' && value === 2_500)
  expect(inForce?.tokensNet).toBe(meter.tokensNet)
})

it('inspect listens only on this machine, and only if there is a store', async () => {
  const cwd = temporaryFolder()
  expect(await spillway(['inspect', '--no-open'], { cwd })).toMatchObject({ code: 3 })
  await put('text', cwd)
  const refused = await spillway(['inspect', '--no-open', '--listen', '0.0.0.0:0'], { cwd })
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('can be reached from other machines') })
})

it('serve --inspector includes the page of inspect', async () => {
  const cwd = temporaryFolder()
  const service = await startServe(['--inspector', '--quiet'], { cwd })
  const content = [{ type: 'text', text: 'a line of a log\n'.repeat(9_000) }]
  await service.post('/v1/offload', { toolName: 'read_log', toolCallId: 'call_1', content })
  const { stderr } = await service.stop()
  const url = /The inspector is at (\S+)/.exec(stderr)?.[1]
  expect(url).toMatch(new RegExp(`^${service.url}/inspector/\\?token=[0-9a-f]{48}$`))
})
