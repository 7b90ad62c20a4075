import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'

/** Whether two paths lead to the same file, which need not be there yet. */
export async function isSameFile(a: string, b: string): Promise<boolean> {
  if (resolve(a) === resolve(b)) return true
  const [one, other] = await Promise.all([identityOf(a), identityOf(b)])
  return one !== undefined && one === other
}

/** What a file is known by under all of its names; `undefined` where there is none. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return `${dev} ${ino}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return undefined
  }
}
