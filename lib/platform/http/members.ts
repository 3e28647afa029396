import * as z from 'zod';

/** Members that many records have, each with what the documents say of it. */

export const CreatedAt = z.iso.datetime().describe('When it was made, in UTC.');
export const UpdatedAt = z.iso.datetime().describe('When it was changed last, in UTC.');

/** @param what it names: `the check` */
export const IdOf = (what: string) => z.string().describe(`Id of ${what}.`);

/** A member of a record that was read, which a change takes back as it is. */
export const Unchanged = z.string().describe('May be sent along as it was read; it cannot change.');
