import { count, table } from '../report/table.ts'
import { besideHighest, besideLowest, worstFirst, type Comparison } from '../report/comparison.ts'
import type { SyntheticOptions } from '../report/run-synthetic.ts'
import { worst, type Section } from '../report/section.ts'
import { RESULTS } from './request-bodies.ts'
import { runLoad, type LoadFigures, type Subject } from './run-load.ts'

/** Limit of the service's resident memory in megabytes. */
const MAX_MEMORY = 2_048
/** Time limit in milliseconds for 99 of 100 requests of each kind. */
const MAX_P99 = 30_000

const FULL = { clients: 200, seconds: 60 }
const QUICK = { clients: 20, seconds: 0.5 }
const MIB = 1_048_576

/** All clients have the same address here, so these limits are raised. All others are the defaults. */
const LIMITS = { requestsPerSecond: 1_000_000, requestBurst: 1_000_000 }
const SERVICES: readonly Subject[] = [
  { name: 'spillway serve, files', script: 'service-process.ts', options: { storage: 'file', limits: LIMITS } },
  { name: 'spillway serve, SQLite', script: 'service-process.ts', options: { storage: 'sqlite', limits: LIMITS } },
]
const ECHO: Subject = { name: 'Hono, echo', script: 'echo-process.ts', options: {} }
const TIGHT: Subject = {
  name: 'spillway serve, tight limits',
  script: 'service-process.ts',
  options: {
    storage: 'file',
    limits: {
      maxConcurrent: 2,
      maxQueued: 16,
      queueTimeoutMs: 500,
      maxMemoryBytes: 64 * MIB,
      requestsPerSecond: 100,
      requestBurst: 100,
    },
  },
}

/** Measure the service under load with its default limits, and a plain echo server. */
export async function measureLoad({ isQuick }: SyntheticOptions): Promise<Section> {
  const size = isQuick ? QUICK : FULL
  const services: LoadFigures[] = []
  for (const service of SERVICES) services.push(await runLoad(service, { ...size, readsToo: true }))
  const echo = await runLoad(ECHO, { ...size, readsToo: false })
  const bounds = [
    worst('failed requests', 0, failures(services)),
    worst(
      'refused without Retry-After',
      0,
      services.map(({ name, refusedWithoutWait }) => ({ value: refusedWithoutWait, where: name })),
    ),
    worst(
      'memory at the most',
      MAX_MEMORY,
      services.map(({ name, memory }) => ({ value: memory?.peak, where: name })),
      'MB',
    ),
    worst(
      'p99 of a request',
      MAX_P99,
      services.flatMap((one) => one.kinds.map(({ name, p99 }) => ({ value: p99, where: `${one.name}: ${name}` }))),
      'ms',
    ),
  ]
  return {
    text: `${size.clients} clients, each sending one request after another for ${size.seconds} s over connections that stay, in a process of their own. Histories have five results, each another; the echo parses them and sends them back. A grep lists the files of its scope, of which there are ${services.map(filesOf).map(count).join(' and ')} at the end.\n\n${totals([...services, echo])}\n\n${latencies([...services, echo])}`,
    bounds,
    comparisons: compareLoad(services, echo),
    figures: { services, echo },
  }
}

/** Compare services with the echo: requests, memory, and the slowest kinds of requests. */
function compareLoad(services: readonly LoadFigures[], echo: LoadFigures): Comparison[] {
  const rate = ({ answered, seconds }: LoadFigures): number => answered / seconds
  return services.flatMap((service) => {
    const times = (quantile: 'p50' | 'p99'): Comparison[] =>
      worstFirst(
        service.kinds.map((kind) => ({
          what: `${service.name}: ${quantile} of ${kind.name}`,
          unit: 'ms',
          ours: kind[quantile],
          floor: besideLowest(
            kind[quantile],
            echo.kinds.flatMap(({ name, [quantile]: value }) => (name === kind.name ? { name: echo.name, value } : [])),
          ),
        })),
      ).slice(0, 1)
    return [
      {
        what: `${service.name}: requests per second`,
        unit: '',
        ours: rate(service),
        floor: besideHighest(rate(service), [{ name: echo.name, value: rate(echo) }]),
      },
      {
        what: `${service.name}: memory at the most`,
        unit: 'MB',
        ours: service.memory?.peak ?? 0,
        floor: besideLowest(service.memory?.peak ?? 0, [{ name: echo.name, value: echo.memory?.peak }]),
      },
      ...times('p50'),
      ...times('p99'),
    ]
  })
}

/** Measure the service with limits below the load. */
export async function measureLimits({ isQuick }: SyntheticOptions): Promise<Section> {
  const size = isQuick ? QUICK : { ...FULL, seconds: 30 }
  const figures = await runLoad(TIGHT, { ...size, readsToo: true })
  return {
    text: `The same clients for ${size.seconds} s, where only two requests are worked on at once, 16 wait for half a second, 100 a second are taken and 64 MB of memory. A client that is refused waits as long as \`Retry-After\` says.\n\n${totals([figures])}\n\n${latencies([figures])}`,
    bounds: [
      worst('failed requests', 0, failures([figures])),
      worst('refused without Retry-After', 0, [{ value: figures.refusedWithoutWait, where: figures.name }]),
    ],
    figures,
  }
}

/** Count the results that were stored during the measurement. */
const filesOf = ({ kinds }: LoadFigures): number =>
  kinds.reduce((sum, kind) => sum + (kind.name.startsWith('history') ? kind.count * RESULTS : 0), 0)

const failures = (all: readonly LoadFigures[]): { value: number; where: string }[] =>
  all.map(({ name, failed }) => ({ value: Object.values(failed).reduce((sum, times) => sum + times, 0), where: name }))

function totals(all: readonly LoadFigures[]): string {
  const rows = all.map(({ name, answered, refused, failed, bytes, seconds, memory }) => [
    name,
    count(answered),
    count(answered / seconds),
    `${count(bytes / 1e6 / seconds)} MB`,
    count(refused),
    Object.entries(failed)
      .map(([what, times]) => `${times} × ${what}`)
      .join(', ') || 'none',
    memory === undefined ? 'not measured' : `${count(memory.before)} MB`,
    memory === undefined ? 'not measured' : `${count(memory.peak)} MB`,
  ])
  return table(
    ['', 'answered', 'per second', 'bodies per second', '429 or 503', 'failed', 'memory before', 'at the most'],
    rows,
  )
}

function latencies(all: readonly LoadFigures[]): string {
  const rows = all.flatMap(({ name, kinds }) =>
    kinds.map((kind) => [name, kind.name, count(kind.count), `${count(kind.p50)} ms`, `${count(kind.p99)} ms`]),
  )
  return table(['', 'request', 'answered', 'p50', 'p99'], rows, 2)
}
