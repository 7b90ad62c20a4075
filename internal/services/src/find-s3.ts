import { hasDocker, S3_IMAGE } from './docker.ts'
import type { FoundProgram } from './find-redis.ts'
import { runProgram } from './run-program.ts'
import { unavailable, type Unavailable } from './service.ts'

/** The programs of a Ceph cluster that serves S3, each in a Debian package of its own. */
const PROGRAMS = ['ceph-mon', 'ceph-osd', 'ceph-mgr', 'ceph', 'radosgw']

let ceph: Promise<FoundProgram | Unavailable> | undefined

/** Look for what a Ceph cluster with a gateway needs. Looked for once. */
export async function findCeph(): Promise<FoundProgram | Unavailable> {
  ceph ??= lookForCeph()
  return await ceph
}

/** Look for an S3 server that can be started here: Ceph that is installed, else the one that Docker has. */
export async function findS3(): Promise<FoundProgram | Unavailable> {
  const found = await findCeph()
  if (found.available) return found
  if (await hasDocker()) return { available: true, version: S3_IMAGE, from: 'docker' }
  return unavailable(
    `${found.why}, and no Docker engine answers: install Ceph's gateway, or set SPILLWAY_TEST_S3_ENDPOINT.`,
  )
}

/** Look again next time, as something was installed. */
export function forgetCeph(): void {
  ceph = undefined
}

async function lookForCeph(): Promise<FoundProgram | Unavailable> {
  const outcomes = await Promise.all(PROGRAMS.map((program) => runProgram(program, ['--version'])))
  const missing = PROGRAMS.filter((_, index) => outcomes[index]?.exitCode !== 0)
  if (missing.length > 0) return unavailable(`${missing.join(', ')} of Ceph cannot be run`)
  const version = /ceph version (\S+)/.exec(outcomes[0]?.output ?? '')?.[1] ?? 'of unknown version'
  return { available: true, version: `Ceph ${version}`, from: 'installed' }
}
