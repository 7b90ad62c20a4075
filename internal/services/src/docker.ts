import { runProgram } from './run-program.ts'

/**
 * The image of Redis that is used if Redis is not installed. No test of this project runs images.
 */
export const REDIS_IMAGE = 'redis:7'

/**
 * The S3 server that is used if Ceph is not installed: it is small, and the last image that MinIO has published. Docker
 * Hub no longer has it. Images of Ceph need minutes to start, or settings of the host.
 */
export const S3_IMAGE = 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z.hotfix.7aa24e772'

let answers: Promise<boolean> | undefined

/** Return whether a Docker engine is running that shares the network of the host. The result is cached. */
export async function hasDocker(): Promise<boolean> {
  // On macOS and Windows, containers have the network of a virtual machine. On these systems, use `compose.yaml`.
  if (process.platform !== 'linux') return false
  answers ??= runProgram('docker', ['version', '--format', '{{.Server.Version}}'], { timeoutMs: 10_000 }).then(
    ({ exitCode }) => exitCode === 0,
  )
  return await answers
}

/** The way to run a server: directly as a program, or in a container. */
export interface ContainerRun {
  readonly command: string
  readonly args: readonly string[]
  readonly container: string
}

/**
 * Run a program of an image in the foreground, as this user, on the network of the host, with `folder` at the same
 * path. Ports, paths, and files are then the same as for an installed program.
 */
export function dockerRun(
  image: string,
  program: string,
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): ContainerRun {
  const container = `spillway-${crypto.randomUUID()}`
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const options = ['--name', container, '--network', 'host', '--user', user, '--volume', `${folder}:${folder}`]
  // The entrypoint of the image is replaced, because it would switch to a user without access to the folder.
  const entrypoint = ['--entrypoint', program]
  return { command: 'docker', args: ['run', ...options, ...entrypoint, ...variables, image, ...args], container }
}
