import { fileErrorCode, unless } from '../../src/file-system.ts'
import type { FileStep, FileSystem } from '../../src/index.ts'

/** Reference implementation of `runSteps`: run each step as a single operation, up to the first that fails. */
export async function takeSteps(fileSystem: FileSystem, steps: readonly FileStep[]): Promise<number> {
  for (const [taken, step] of steps.entries())
    try {
      if (!(await takeStep(fileSystem, step))) return taken
    } catch (error) {
      if (fileErrorCode(error) === undefined) throw error
      return taken
    }
  return steps.length
}

async function takeStep(fileSystem: FileSystem, step: FileStep): Promise<boolean> {
  switch (step.step) {
    case 'isReal':
      return (await fileSystem.realPath(step.path)) === step.path
    case 'isMissing':
      return (await unless('ENOENT', fileSystem.stat(step.path))) === undefined
    case 'isFile': {
      const { kind, size } = await fileSystem.stat(step.path)
      return kind === 'file' && size === step.size
    }
    case 'create': {
      const file = await fileSystem.createFile(step.path)
      await file.write(step.content)
      await file.close()
      if (step.modifiedAt !== undefined) await fileSystem.setModifiedAt?.(step.path, step.modifiedAt)
      return true
    }
    case 'link':
      await fileSystem.link?.(step.from, step.to)
      return true
    case 'remove':
      await fileSystem.removeFile(step.path)
      return true
  }
}
