type Objects = readonly unknown[]

/** The value of a member of each object. */
export function valuesOf<List extends Objects, Key extends keyof List[number]>(objects: List, member: Key): List[number][Key][]

/** The values of members of each object, a tuple an object: what a test compares with a table. */
export function valuesOf<List extends Objects, const Keys extends readonly (keyof List[number])[]>(
  objects: List,
  ...members: Keys
): { -readonly [Index in keyof Keys]: List[number][Keys[Index]] }[]

export function valuesOf<T>(objects: readonly T[], ...members: readonly (keyof T)[]): unknown[] {
  const [first, ...others] = members
  return objects.map((object) => {
    if (others.length > 0) return members.map((member) => object[member])
    return first === undefined ? undefined : object[first]
  })
}
