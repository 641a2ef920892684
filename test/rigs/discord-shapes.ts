/** What a small Discord is made of, as the API spells it. */

export interface User {
  id: string;
  username: string;
  global_name: string | null;
  bot: boolean;
}
export interface Member {
  user: User;
  nick: string | null;
  roles: string[];
  pending: boolean;
  flags: number;
  joined_at: string;
  deaf: boolean;
  mute: boolean;
}
export interface Role {
  id: string;
  name: string;
  permissions: string;
  tags?: { bot_id: string };
}
export interface Guild {
  id: string;
  name: string;
  owner_id: string;
  roles: Role[];
  members: Map<string, Member>;
}
export interface Channel {
  id: string;
  type: number;
  guild_id?: string;
  name?: string;
  parent_id?: string | null;
  owner_id?: string;
  recipients?: User[];
  permission_overwrites?: { id: string; type: number; allow: string; deny: string }[];
  last_message_id: string | null;
  thread_metadata?: { archived: boolean; locked: boolean; auto_archive_duration: number; archive_timestamp: string };
}
export interface Message {
  id: string;
  channel_id: string;
  type: number;
  author: User;
  content: string;
  timestamp: string;
  edited_timestamp: string | null;
  embeds: { title?: string; description?: string; fields?: { name: string; value: string }[] }[];
  components: { type: number; components?: Component[] }[];
  attachments: { id: string; filename: string; size: number; content_type?: string; url: string; text: string }[];
  flags: number;
  mentions: User[];
  mention_roles: string[];
  mention_everyone: boolean;
  pinned: boolean;
  /** Signs that the bot put on it. */
  signs?: string[];
  tts: boolean;
  nonce?: string;
  webhook_id?: string;
  message_reference?: { message_id: string; channel_id: string };
  referenced_message?: Message | null;
}
export interface Component {
  type: number;
  label?: string;
  custom_id?: string;
  style?: number;
  disabled?: boolean;
}
/** What is sent to make or change a message. */
export interface Draft {
  content?: string;
  embeds?: Message["embeds"];
  components?: Message["components"];
  flags?: number;
  nonce?: string;
  enforce_nonce?: boolean;
  allowed_mentions?: { parse?: string[]; users?: string[]; roles?: string[]; replied_user?: boolean };
  message_reference?: { message_id: string; fail_if_not_exists?: boolean };
  attachments?: { id: string | number }[];
}
export interface Upload {
  name: string;
  text: string;
  type?: string;
}
