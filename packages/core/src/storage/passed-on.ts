import type { StorageDriver } from './storage-driver.ts'

/** Return those methods and properties of a driver that it has, to be part of another one. */
export function passedOn<Name extends keyof StorageDriver>(
  driver: StorageDriver,
  names: readonly Name[],
): Partial<Pick<StorageDriver, Name>> {
  const present = names.filter((name) => driver[name] !== undefined)
  return Object.fromEntries(
    present.map((name) => {
      const value: unknown = driver[name]
      return [name, typeof value === 'function' ? value.bind(driver) : value]
    }),
  ) as Partial<Pick<StorageDriver, Name>>
}
