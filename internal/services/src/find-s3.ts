import { hasDocker, S3_IMAGE } from './docker.ts'
import type { FoundProgram } from './find-redis.ts'
import { runProgram } from './run-program.ts'
import { unavailable, type Unavailable } from './service.ts'

/** The programs of a Ceph cluster that serves S3. Each program is in a separate Debian package. */
const PROGRAMS = ['ceph-mon', 'ceph-osd', 'ceph', 'radosgw']

let ceph: Promise<FoundProgram | Unavailable> | undefined

/** Find the programs of a Ceph cluster with a gateway. The result is cached. */
export async function findCeph(): Promise<FoundProgram | Unavailable> {
  ceph ??= lookForCeph()
  return await ceph
}

/** Find an available S3 server: an installed Ceph, otherwise Docker's image. */
export async function findS3(): Promise<FoundProgram | Unavailable> {
  const found = await findCeph()
  if (found.available) return found
  if (await hasDocker()) return { available: true, version: S3_IMAGE, from: 'docker' }
  return unavailable(
    `${found.why}, and no Docker engine answers: install Ceph's gateway, or set SPILLWAY_TEST_S3_ENDPOINT.`,
  )
}

/** Remove the cached result, because a program was installed. */
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
