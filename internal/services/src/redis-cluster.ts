import { askRedis } from './ask-redis.ts'
import { GuardedFolder } from './guarded-folder.ts'
import { startNode, type RedisOptions } from './redis-server.ts'
import type { ServerProcess } from './server-process.ts'
import type { RedisClusterService, RedisNode } from './service.ts'
import { waitUntil } from './wait-until.ts'

const MASTERS = 3
const SLOTS = 16_384
const NODE_TIMEOUT_MS = 2_000

/** Settings of a Redis Cluster: those of its nodes, and how many replicas follow each of the three masters. */
export interface RedisClusterOptions extends RedisOptions {
  /** Defaults to none. With one, a replica takes over about 3 s after its master is gone. */
  readonly replicas?: number | undefined
}

/** A node of a cluster of one's own. */
export interface RedisClusterNode extends RedisNode {
  /** Role when the cluster started; a failover changes it. */
  readonly role: 'master' | 'replica'
  /** Kill it by SIGKILL and wait until it is gone. */
  kill(): Promise<void>
  /** Start it again, on the same port, with what is on its disk. */
  start(): Promise<void>
}

/** A Redis Cluster of one's own: three masters, then their replicas. */
export interface RedisCluster extends RedisClusterService {
  readonly nodes: readonly RedisClusterNode[]
  /** Wait until every node that runs sees all slots served. */
  ready(): Promise<void>
  /** Kill all nodes and remove their data. */
  dispose(): Promise<void>
}

interface Member {
  readonly port: number
  readonly server: ServerProcess
}

/**
 * Start a Redis Cluster of three masters on spare ports of 127.0.0.1. It ends with this process at the latest, however
 * that ends. Rejects if Redis is not installed or does not start.
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
      // A replica that has lost its master for long is still better than nobody.
      'cluster-replica-validity-factor': '0',
      'repl-diskless-sync-delay': '0',
      ...(requirepass === undefined ? {} : { masterauth: JSON.stringify(requirepass) }),
      ...settings,
    },
  }
}

/** Give each master its share of the slots, have all meet the first, and the replicas follow their masters. */
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
