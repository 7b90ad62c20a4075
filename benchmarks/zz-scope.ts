import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { FileStorage } from '@spillway/file'
import { SqliteStorage } from '@spillway/sqlite'
import { mkdtempSync } from 'node:fs'
const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at} value ${at % 991} ok`).join('\n')
const dir = mkdtempSync('/tmp/zz-')
const kinds: Record<string, () => any> = { memory: () => new InMemoryStorage({ evictAfterTurns: null }), file: () => new FileStorage(dir + '/f'), sqlite: () => new SqliteStorage(dir + '/s.db') }
for (const kind of process.argv.slice(2)) {
  const storage = kinds[kind]!()
  const offloader = new ContextOffloader({ storage })
  const victim = await storage.scope('victim').store('log', new TextEncoder().encode(lines(5000)), 'text/plain')
  const as = storage.scope('attacker')
  for (let i = 0; i < 1000; i++) await as.store('log' + i, new TextEncoder().encode(lines(300) + i), 'text/plain')
  const at = offloader.forScope('attacker').retrievalTool, vt = offloader.forScope('victim').retrievalTool
  const VICT: [string, object][] = [['range', { line_range: { start: 100, end: 110 } }], ['pattern', { pattern: 'value 77' }], ['query', { query: 'value of the last ok line' }]]
  for (const [, c] of VICT) for (let i = 0; i < 20; i++) await vt.execute({ ...c, reference: victim } as never)
  for (const call of [undefined, { pattern: 'absent thing' }, { query: 'value nobody wrote' }]) {
    const stop = new AbortController(); let done = 0, sample = ''
    const attack = Array.from({ length: call ? 64 : 0 }, async () => { while (!stop.signal.aborted) { const r = await at.execute(call as never, { signal: stop.signal }); done++; sample ||= JSON.stringify(r.content).slice(0, 90) } })
    await new Promise((r) => setTimeout(r, 1500))
    const out = []
    for (const [n, c] of VICT) { const own: number[] = []; for (let i = 0; i < 10; i++) { const b = performance.now(); await vt.execute({ ...c, reference: victim } as never); own.push(performance.now() - b) } own.sort((x, y) => x - y); out.push(`${n} ${own[5]!.toFixed(0)}/${own[9]!.toFixed(0)}`) }
    console.log(kind, JSON.stringify(call), out.join('  '), 'attack calls', done, sample)
    stop.abort(); await Promise.all(attack)
  }
}
process.exit(0)
