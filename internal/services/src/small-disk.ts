import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { GuardedFolder } from './guarded-folder.ts'
import { runProgram } from './run-program.ts'
import { unavailable, type Unavailable } from './service.ts'

const NAME = 'disk'

/** A small disk, which tests can fill. */
export interface SmallDisk {
  readonly available: true
  /** The root folder. */
  readonly path: string
  /** Unmount the disk and discard its files. */
  dispose(): Promise<void>
}

/**
 * Mount a disk of this many bytes in memory. It is removed at the latest when this process ends. Unavailable if this
 * user may not mount.
 */
export async function smallDisk(bytes: number): Promise<SmallDisk | Unavailable> {
  if (process.platform !== 'linux') return unavailable('Small disks in memory can be mounted on Linux alone.')
  const folder = new GuardedFolder('disk')
  const path = join(folder.path, NAME)
  mkdirSync(path)
  folder.guard(`mount:${NAME}`)
  const { exitCode, output } = await runProgram('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path])
  if (exitCode !== 0) {
    folder.release(`mount:${NAME}`)
    await folder.remove()
    return unavailable(`A small disk cannot be mounted: ${output.trim() || 'there is no mount'}. Run as root.`)
  }
  return {
    available: true,
    path,
    dispose: async () => {
      // The unmount is lazy, because a file on the disk may still be open.
      await runProgram('umount', ['-l', path])
      folder.release(`mount:${NAME}`)
      await folder.remove()
    },
  }
}
