import { runProgram } from './run-program.ts'

/**
 * The Redis that is used if none is installed. No test of this project runs images.
 */
export const REDIS_IMAGE = 'redis:7'

/**
 * The S3 server that is used if Ceph is not installed: small, and the last that its makers published; Docker Hub has it
 * no more. Images of Ceph itself need minutes to start or settings of the host.
 */
export const S3_IMAGE = 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z.hotfix.7aa24e772'

let answers: Promise<boolean> | undefined

/** Tell whether a Docker engine answers that shares the host's network; asked once. */
export async function hasDocker(): Promise<boolean> {
  // On macOS and Windows containers live in a virtual machine, whose network is another: `compose.yaml` is for these.
  if (process.platform !== 'linux') return false
  answers ??= runProgram('docker', ['version', '--format', '{{.Server.Version}}'], { timeoutMs: 10_000 }).then(
    ({ exitCode }) => exitCode === 0,
  )
  return await answers
}

/** Whether a program or its container is what runs a server. */
export interface ContainerRun {
  readonly command: string
  readonly args: readonly string[]
  readonly container: string
}

/**
 * Run a program of an image in the foreground, as this user, on the host's network, with `folder` at the same path. Ports,
 * paths and files are then those of an installed program.
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
  // Replaces the entrypoint of the image, which would switch to a user without access to the folder.
  const entrypoint = ['--entrypoint', program]
  return { command: 'docker', args: ['run', ...options, ...entrypoint, ...variables, image, ...args], container }
}
