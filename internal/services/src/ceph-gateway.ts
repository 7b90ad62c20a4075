import { configOf, must, runIn } from './ceph-cluster.ts'
import { GuardedFolder } from './guarded-folder.ts'
import { ServerProcess } from './server-process.ts'
import { sparePort } from './spare-port.ts'

const START_MS = 120_000
const NAME = ['--name', 'client.rgw']

/** A gateway that serves S3 from a Ceph cluster. It can be killed and started again, and the data stays. */
export interface CephGateway {
  /** The URL, for example `http://127.0.0.1:17000`. */
  readonly endpoint: string
  readonly port: number
  /** Kill the gateway with SIGKILL, and wait until it has ended. */
  kill(): Promise<void>
  /** Start the gateway again, on the same port. */
  start(): Promise<void>
  /** Kill the gateway and remove its log. */
  dispose(): Promise<void>
}

/** Start a gateway on a spare port of 127.0.0.1, for the Ceph cluster whose configuration is in `cephFolder`. */
export async function startCephGateway(cephFolder: string): Promise<CephGateway> {
  const folder = new GuardedFolder('gateway')
  const port = await sparePort()
  const endpoint = `http://127.0.0.1:${port}`
  // Without tcp_nodelay, small responses take 44 ms instead of 1 ms.
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

/** Create the user that owns the buckets of the tests. */
export async function createCephUser(cephFolder: string, accessKeyId: string, secretAccessKey: string): Promise<void> {
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`]
  const user = ['--uid=spillway', '--display-name=spillway', ...keys]
  await must(runIn(cephFolder, 'radosgw-admin', [...NAME, 'user', 'create', ...user]))
}

/** Return whether an HTTP server answers, with any status. */
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
