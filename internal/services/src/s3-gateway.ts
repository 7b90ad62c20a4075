import { startCephGateway } from './ceph-gateway.ts'
import { unavailable, type S3Service, type Unavailable } from './service.ts'
import { sharedS3 } from './shared-services.ts'

/** Another gateway to the data of the shared S3 server. It can be killed and started again. */
export interface S3Gateway extends S3Service {
  readonly port: number
  /** Kill the gateway with SIGKILL, and wait until it has ended. The data stays. */
  kill(): Promise<void>
  /** Start the gateway again, on the same port. */
  start(): Promise<void>
  /** Kill the gateway, and remove its files. */
  dispose(): Promise<void>
}

/**
 * Start another gateway to the Ceph cluster of {@link sharedS3}. Unavailable if this project did not start the shared
 * server, for example if it is your own: then use a `faultProxy` in front of it.
 */
export async function startS3Gateway(): Promise<S3Gateway | Unavailable> {
  const shared = await sharedS3()
  if (!shared.available) return shared
  const { cephFolder, ...service } = shared
  if (cephFolder === undefined) return unavailable('Only the gateway of a Ceph cluster can be killed without its data.')
  return { ...service, ...(await startCephGateway(cephFolder)) }
}
