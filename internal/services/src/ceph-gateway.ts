import { configOf, must, runIn } from './ceph-cluster.ts'
import { GuardedFolder } from './guarded-folder.ts'
import { ServerProcess } from './server-process.ts'
import { sparePort } from './spare-port.ts'

const START_MS = 120_000
const NAME = ['--name', 'client.rgw']

/** A gateway through which a Ceph cluster serves S3, which can be killed and started again: what it serves stays. */
export interface CephGateway {
  /** Such as `http://127.0.0.1:17000`. */
  readonly endpoint: string
  readonly port: number
  /** Kill it by SIGKILL and wait until it is gone. */
  kill(): Promise<void>
  /** Start it again, on the same port. */
  start(): Promise<void>
  /** Kill it and remove its log. */
  dispose(): Promise<void>
}

/** Start a gateway to the Ceph cluster whose configuration is in `cephFolder`, on a spare port of 127.0.0.1. */
export async function startCephGateway(cephFolder: string): Promise<CephGateway> {
  const folder = new GuardedFolder('gateway')
  const port = await sparePort()
  const endpoint = `http://127.0.0.1:${port}`
  // Without tcp_nodelay small answers take 44 ms instead of 1.
  const frontend = `beast endpoint=127.0.0.1:${port} tcp_nodelay=1`
  const log = ['--log-file', `${folder.path}/gateway.log`]
  const server = new ServerProcess(folder, {
    name: 'radosgw',
    command: 'radosgw',
    args: ['--conf', configOf(cephFolder), ...NAME, ...log, '--foreground', `--rgw-frontends=${frontend}`],
    isReady: () => answers(endpoint),
    timeoutMs: START_MS,
  })
  const dispose = async (): Promise<void> => {
    await server.kill()
    await folder.remove()
  }
  try {
    await server.start()
  } catch (error) {
    await dispose()
    throw error
  }
  return { endpoint, port, kill: () => server.kill(), start: () => server.start(), dispose }
}

/** Create the user whose buckets the tests use. */
export async function createCephUser(cephFolder: string, accessKeyId: string, secretAccessKey: string): Promise<void> {
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`]
  const user = ['--uid=spillway', '--display-name=spillway', ...keys]
  await must(runIn(cephFolder, 'radosgw-admin', [...NAME, 'user', 'create', ...user]))
}

/** Tell whether an HTTP server answers, whatever it says. */
export async function answers(endpoint: string): Promise<boolean> {
  try {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(5_000) })
    await response.body?.cancel()
    return response.status < 500
  } catch (error) {
    if (error instanceof TypeError || (error as Error).name === 'TimeoutError') return false
    throw error
  }
}
