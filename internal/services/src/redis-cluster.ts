import { askRedis } from './ask-redis.ts'
import { GuardedFolder } from './guarded-folder.ts'
import { startNode, type RedisOptions } from './redis-server.ts'
import type { ServerProcess } from './server-process.ts'
import type { RedisClusterService, RedisNode } from './service.ts'
import { waitUntil } from './wait-until.ts'

const MASTERS = 3
const SLOTS = 16_384
const NODE_TIMEOUT_MS = 2_000

/** Settings of a Redis Cluster: the settings of its nodes, and the number of replicas of each of the three masters. */
export interface RedisClusterOptions extends RedisOptions {
  /** Replicas of each master. Defaults to none. A replica takes over about 3 s after its master has ended. */
  readonly replicas?: number | undefined
}

/** A node of a separate cluster. */
export interface RedisClusterNode extends RedisNode {
  /** Role at the start of the cluster. A failover changes the role. */
  readonly role: 'master' | 'replica'
  /** Kill the node with SIGKILL, and wait until it has ended. */
  kill(): Promise<void>
  /** Start the node again, on the same port, with the data on disk. */
  start(): Promise<void>
}

/** A separate Redis Cluster: three masters, and then their replicas. */
export interface RedisCluster extends RedisClusterService {
  readonly nodes: readonly RedisClusterNode[]
  /** Wait until every running node knows that all slots are served. */
  ready(): Promise<void>
  /** Kill all nodes and remove their data. */
  dispose(): Promise<void>
}

interface Member {
  readonly port: number
  readonly server: ServerProcess
}

/**
 * Start a Redis Cluster with three masters on spare ports of 127.0.0.1. It ends at the latest when this process ends,
 * even by SIGKILL. Rejects if Redis is not installed or does not start.
 */
export async function startRedisCluster(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const { replicas = 0, ...nodeOptions } = options
  const folder = new GuardedFolder('redis-cluster')
  const members: Member[] = []
  const dispose = async (): Promise<void> => {
    await Promise.all(members.map(({ server }) => server.kill()))
    await folder.remove()
  }
  try {
    for (let index = 0; index < MASTERS * (1 + replicas); index += 1)
      members.push(await startNode(folder, memberOptions(nodeOptions)))
    await join(members, options.requirepass)
    await waitUntil('the cluster to serve all slots', () => isWhole(members, options.requirepass))
    return {
      available: true,
      url: `redis+cluster://${members.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
      nodes: members.map(({ port, server }, index) => ({
        host: '127.0.0.1',
        port,
        role: index < MASTERS ? 'master' : 'replica',
        kill: () => server.kill(),
        start: () => server.start(),
      })),
      ready: () => waitUntil('the cluster to serve all slots', () => isWhole(members, options.requirepass)),
      dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

function memberOptions(options: RedisOptions): RedisOptions {
  const { requirepass, settings } = options
  return {
    ...options,
    settings: {
      'cluster-enabled': 'yes',
      'cluster-node-timeout': String(NODE_TIMEOUT_MS),
      // A replica that was without its master for long may still take over.
      'cluster-replica-validity-factor': '0',
      'repl-diskless-sync-delay': '0',
      ...(requirepass === undefined ? {} : { masterauth: JSON.stringify(requirepass) }),
      ...settings,
    },
  }
}

/** Assign slots to the masters, let all nodes meet the first one, and let the replicas follow their masters. */
async function join(members: readonly Member[], password: string | undefined): Promise<void> {
  const ask = (port: number, ...words: string[]): Promise<string> => askMember(port, password, ...words)
  const masters = members.slice(0, MASTERS)
  for (const [index, { port }] of masters.entries()) {
    const from = Math.floor((index * SLOTS) / MASTERS)
    const to = Math.floor(((index + 1) * SLOTS) / MASTERS)
    const slots = Array.from({ length: to - from }, (_, slot) => String(from + slot))
    await ask(port, 'CLUSTER', 'ADDSLOTS', ...slots)
    await ask(port, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
  }
  const [first] = members
  for (const { port } of members.slice(1)) await ask(port, 'CLUSTER', 'MEET', '127.0.0.1', String(first!.port))
  await waitUntil('all nodes to know each other', async () => {
    const infos = await Promise.all(members.map(({ port }) => ask(port, 'CLUSTER', 'INFO')))
    return infos.every((info) => info.includes(`cluster_known_nodes:${members.length}\r\n`))
  })
  for (const [index, { port }] of members.slice(MASTERS).entries()) {
    const master = await ask(masters[index % MASTERS]!.port, 'CLUSTER', 'MYID')
    await ask(port, 'CLUSTER', 'REPLICATE', master)
    await waitUntil('a replica to follow', async () =>
      (await ask(port, 'INFO', 'replication')).includes('master_link_status:up'),
    )
  }
}

async function isWhole(members: readonly Member[], password: string | undefined): Promise<boolean> {
  const running = members.filter(({ server }) => server.isRunning)
  const infos = await Promise.all(running.map(({ port }) => askMember(port, password, 'CLUSTER', 'INFO')))
  return infos.every((info) => info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}\r\n`))
}

async function askMember(port: number, password: string | undefined, ...words: string[]): Promise<string> {
  return await askRedis(port, ...(password === undefined ? [] : [['AUTH', password]]), words)
}
