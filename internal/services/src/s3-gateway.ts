import { startCephGateway } from './ceph-gateway.ts'
import { unavailable, type S3Service, type Unavailable } from './service.ts'
import { sharedS3 } from './shared-services.ts'

/** One more gateway to the shared S3 server's data, which can be killed and started again. */
export interface S3Gateway extends S3Service {
  readonly port: number
  /** Kill it by SIGKILL and wait until it is gone; the data stays. */
  kill(): Promise<void>
  /** Start it again, on the same port. */
  start(): Promise<void>
  /** Kill it for good. */
  dispose(): Promise<void>
}

/**
 * Start one more gateway to the Ceph cluster of {@link sharedS3}. Unavailable if the shared server is not
 * our Ceph, for example your own: put a `faultProxy` in front of it.
 */
export async function startS3Gateway(): Promise<S3Gateway | Unavailable> {
  const shared = await sharedS3()
  if (!shared.available) return shared
  const { cephFolder, ...service } = shared
  if (cephFolder === undefined) return unavailable('Only the gateway of a Ceph cluster can be killed without its data.')
  return { ...service, ...(await startCephGateway(cephFolder)) }
}
