async def live_on(folder, told, *, whole):
    pass
