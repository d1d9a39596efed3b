"""The television and the speakers."""

from typing import Any, override

from homeassistant.components.media_player import (
    MediaPlayerDeviceClass,
    MediaPlayerEntity,
    MediaPlayerEntityFeature,
    MediaPlayerState,
    MediaType,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HouseEntity
from .model import Thing
from .runtime import DemoHouseConfigEntry, House

SONGS = ("Morning dew", "Slow train", "Harbour lights")


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the media players."""
    house = entry.runtime_data
    async_add_entities(
        HousePlayer(thing, house) for thing in house.things("media_player")
    )


class HousePlayer(HouseEntity, MediaPlayerEntity):
    """A player with three songs."""

    _attr_media_content_type = MediaType.MUSIC
    _attr_volume_step = 0.1
    _attr_supported_features = (
        MediaPlayerEntityFeature.TURN_ON
        | MediaPlayerEntityFeature.TURN_OFF
        | MediaPlayerEntityFeature.PLAY
        | MediaPlayerEntityFeature.PAUSE
        | MediaPlayerEntityFeature.STOP
        | MediaPlayerEntityFeature.NEXT_TRACK
        | MediaPlayerEntityFeature.PREVIOUS_TRACK
        | MediaPlayerEntityFeature.PLAY_MEDIA
        | MediaPlayerEntityFeature.VOLUME_SET
        | MediaPlayerEntityFeature.VOLUME_STEP
        | MediaPlayerEntityFeature.VOLUME_MUTE
    )

    def __init__(self, thing: Thing, house: House) -> None:
        """Start in the plan's state, with the first song and at 40 percent."""
        super().__init__(thing, house)
        self._song = 0
        self._attr_device_class = MediaPlayerDeviceClass(str(thing.device_class))
        self._attr_state = MediaPlayerState(str(thing.value))
        self._attr_volume_level = 0.4
        self._attr_is_volume_muted = False
        self._attr_media_title = SONGS[self._song]

    @override
    async def async_turn_on(self) -> None:
        """Turn the player on."""
        await self._set("turn_on", MediaPlayerState.IDLE)

    @override
    async def async_turn_off(self) -> None:
        """Turn the player off."""
        await self._set("turn_off", MediaPlayerState.OFF)

    @override
    async def async_media_play(self) -> None:
        """Play."""
        await self._set("media_play", MediaPlayerState.PLAYING)

    @override
    async def async_media_pause(self) -> None:
        """Pause."""
        await self._set("media_pause", MediaPlayerState.PAUSED)

    @override
    async def async_media_stop(self) -> None:
        """Stop."""
        await self._set("media_stop", MediaPlayerState.IDLE)

    @override
    async def async_media_next_track(self) -> None:
        """Play the next song."""
        await self._skip("media_next_track", 1)

    @override
    async def async_media_previous_track(self) -> None:
        """Play the previous song."""
        await self._skip("media_previous_track", -1)

    @override
    async def async_play_media(
        self, media_type: MediaType | str, media_id: str, **kwargs: Any
    ) -> None:
        """Play what is asked for by name."""
        await self._report("play_media", media_id=media_id)
        self._attr_media_title = media_id
        self._attr_state = MediaPlayerState.PLAYING
        self.async_write_ha_state()

    @override
    async def async_set_volume_level(self, volume: float) -> None:
        """Set the volume, 0 to 1."""
        await self._report("volume_set", volume=volume)
        self._attr_volume_level = volume
        self.async_write_ha_state()

    @override
    async def async_mute_volume(self, mute: bool) -> None:
        """Mute or unmute."""
        await self._report("volume_mute", mute=mute)
        self._attr_is_volume_muted = mute
        self.async_write_ha_state()

    async def _skip(self, action: str, step: int) -> None:
        self._song = (self._song + step) % len(SONGS)
        self._attr_media_title = SONGS[self._song]
        await self._set(action, MediaPlayerState.PLAYING)

    async def _set(self, action: str, state: MediaPlayerState) -> None:
        await self._report(action)
        self._attr_state = state
        self.async_write_ha_state()
