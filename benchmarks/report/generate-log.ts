import { seededRandom } from '@spillway-internal/test-run/seeded-random'

/** Services that write the log, with their actions and failures. */
const SERVICES = ['checkout', 'payments', 'inventory', 'search', 'sessions', 'mailer']
const ACTIONS = ['GET /cart', 'POST /orders', 'GET /items', 'PUT /stock', 'POST /login', 'GET /health']
const FAILURES = [
  'connection to db-primary:5432 refused (attempt 3 of 3)',
  'java.net.SocketTimeoutException: Read timed out after 30000 ms',
  'payment declined by provider: insufficient_funds',
]

/** Return a log of some services with at least `bytes` bytes. Every call returns the same log. */
export function generateLog(bytes: number): string {
  const random = seededRandom(20_260_101)
  const pick = (items: readonly string[]): string => items[Math.floor(random() * items.length)] ?? ''
  const lines: string[] = []
  let time = Date.UTC(2026, 0, 1)
  for (let size = 0; size < bytes; size += (lines.at(-1)?.length ?? 0) + 1) {
    time += Math.floor(random() * 400)
    const start = `${new Date(time).toISOString()} ${pick(SERVICES)}`
    const request = `req=${Math.floor(random() * 2 ** 32).toString(16)}`
    if (random() < 0.004) lines.push(`${start} ERROR ${request} ${pick(FAILURES)}`)
    else if (random() < 0.02) lines.push(`${start} WARN  ${request} slow response: ${Math.floor(random() * 4_000)} ms`)
    else lines.push(`${start} INFO  ${request} ${pick(ACTIONS)} 200 in ${Math.floor(random() * 90)} ms`)
  }
  return lines.join('\n')
}
