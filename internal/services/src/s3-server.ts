import { createCephUser, startCephGateway, answers } from './ceph-gateway.ts'
import { startCephCluster } from './ceph-cluster.ts'
import { dockerRun, S3_IMAGE } from './docker.ts'
import { findS3 } from './find-s3.ts'
import { GuardedFolder } from './guarded-folder.ts'
import { ServerProcess } from './server-process.ts'
import type { S3Service } from './service.ts'
import { sparePort } from './spare-port.ts'

const DOCKER_MS = 300_000

/** A separate S3 server. */
export interface S3Server extends S3Service {
  /** Kill the server and remove its data. */
  dispose(): Promise<void>
}

/**
 * Start an S3 server on a spare port of 127.0.0.1: a Ceph cluster in memory and its gateway, or else MinIO in Docker.
 * It ends at the latest when this process ends, even by SIGKILL. Rejects if {@link findS3} finds neither.
 */
export async function startS3(): Promise<S3Server> {
  const found = await findS3()
  if (!found.available) throw new Error(`S3 cannot be started: ${found.why}`)
  const keys = { accessKeyId: 'spillway', secretAccessKey: crypto.randomUUID(), region: 'us-east-1' }
  return found.from === 'installed' ? await startCeph(keys) : await startMinio(keys)
}

type Keys = Pick<S3Service, 'accessKeyId' | 'secretAccessKey' | 'region'>

async function startCeph(keys: Keys): Promise<S3Server> {
  const cluster = await startCephCluster()
  try {
    const cephFolder = cluster.folder.path
    await createCephUser(cephFolder, keys.accessKeyId, keys.secretAccessKey)
    const gateway = await startCephGateway(cephFolder)
    const dispose = async (): Promise<void> => {
      await gateway.dispose()
      await cluster.dispose()
    }
    return { available: true, endpoint: gateway.endpoint, ...keys, cephFolder, dispose }
  } catch (error) {
    await cluster.dispose()
    throw error
  }
}

async function startMinio(keys: Keys): Promise<S3Server> {
  const folder = new GuardedFolder('minio')
  const address = `127.0.0.1:${await sparePort()}`
  const endpoint = `http://${address}`
  const env = { MINIO_ROOT_USER: keys.accessKeyId, MINIO_ROOT_PASSWORD: keys.secretAccessKey }
  const server = new ServerProcess(folder, {
    ...dockerRun(S3_IMAGE, 'minio', ['server', '--address', address, folder.path], folder.path, env),
    name: 'minio',
    isReady: () => answers(`${endpoint}/minio/health/ready`),
    timeoutMs: DOCKER_MS,
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
  return { available: true, endpoint, ...keys, dispose }
}
